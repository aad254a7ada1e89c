import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { BillingSourceName } from '../invoice-values';

/** The link of a customer to an account in a billing source. The operator creates it. */
@Entity('billing_account')
@Index('billing_account_source_idx', ['source', 'sourceCustomerId'])
@Check('billing_account_source_check', `source in ('stripe', 'fiken')`)
export class BillingAccount {
  @ForeignKey('customer', 'id', { name: 'billing_account_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'billing_account_pk' })
  customerId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_account_pk' })
  source!: BillingSourceName;

  /** Stripe's customer id, Fiken's contact id. */
  @Column('text')
  sourceCustomerId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The company that its first sync read at a source that has several (Fiken): the account is one of that company. */
  @Column('text', { nullable: true })
  company!: string | null;
}
