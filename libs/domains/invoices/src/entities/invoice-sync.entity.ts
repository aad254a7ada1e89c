import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { BillingSourceName } from '../invoice-record';
import { BillingAccount } from './billing-account.entity';

/** How the sync of a customer's invoices from one source stands. */
@Entity('invoice_sync')
@Index('invoice_sync_due_idx', ['source', 'dueAt'])
@ForeignKey(() => BillingAccount, ['customerId', 'source'], ['customerId', 'source'], {
  name: 'invoice_sync_account_fk',
  onDelete: 'CASCADE',
})
export class InvoiceSync {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invoice_sync_pk' })
  customerId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_sync_pk' })
  source!: BillingSourceName;

  /** How far the source was read; only its adapter understands it. Saved with every page. */
  @Column('jsonb', { default: {} })
  checkpoint!: Record<string, unknown>;

  /** When a worker is to take it up again. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** When it was put into the queue; before `dueAt` for one that waits for its time. */
  @Column('timestamptz', { nullable: true })
  queuedAt!: Date | null;

  /** The run that may write; null between runs. A run that finds another's id here has lost the account and ends. */
  @Column('uuid', { nullable: true })
  runId!: string | null;

  /** Runs that failed since the last that succeeded. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** When the first of them failed. */
  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  succeededAt!: Date | null;

  /** Invoices that the present or last run stored. */
  @Column('integer', { default: 0 })
  stored!: number;

  /** Items that the present or last run could not read. */
  @Column('integer', { default: 0 })
  skipped!: number;

  /** Why the last run failed. */
  @Column('text', { nullable: true })
  lastError!: string | null;
}
