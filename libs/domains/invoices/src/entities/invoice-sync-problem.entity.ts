import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { BillingSourceName } from '../invoice-values';
import { BillingAccount } from './billing-account.entity';

/** An item of a source that could not be read and was skipped. Deleted once it can be read. */
@Entity('invoice_sync_problem')
@ForeignKey(() => BillingAccount, ['customerId', 'source'], ['customerId', 'source'], {
  name: 'invoice_sync_problem_account_fk',
  onDelete: 'CASCADE',
})
export class InvoiceSyncProblem {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invoice_sync_problem_pk' })
  customerId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_sync_problem_pk' })
  source!: BillingSourceName;

  /** The source's id of the document; for one without an id `without an id`, behind the prefix of credit notes if it is one. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_sync_problem_pk' })
  sourceId!: string;

  /** Description of the problem. */
  @Column('text')
  detail!: string;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;
}
