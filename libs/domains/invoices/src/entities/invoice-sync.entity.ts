import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { BillingSourceName } from '../invoice-values';
import { BillingAccount } from './billing-account.entity';

/** State of the sync of a customer's invoices with one source. */
@Entity('invoice_sync')
@Index('invoice_sync_due_idx', ['source', 'dueAt'])
@Index('invoice_sync_failing_idx', { synchronize: false })
@ForeignKey(() => BillingAccount, ['customerId', 'source'], ['customerId', 'source'], {
  name: 'invoice_sync_account_fk',
  onDelete: 'CASCADE',
})
export class InvoiceSync {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invoice_sync_pk' })
  customerId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_sync_pk' })
  source!: BillingSourceName;

  /** The worker's `SyncCheckpoint`, in which only `position` is the adapter's own. Saved with every page. */
  @Column('jsonb', { default: {} })
  checkpoint!: Record<string, unknown>;

  /** When the next run is due. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** When it was put into the queue; earlier than `dueAt` if the next run is not queued yet. */
  @Column('timestamptz', { nullable: true })
  queuedAt!: Date | null;

  /** The run that may write; null between runs. A run that finds another run's id here ends. */
  @Column('uuid', { nullable: true })
  runId!: string | null;

  /** Failed runs since the last successful one. */
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

  /** Invoices that the current or last run stored. */
  @Column('integer', { default: 0 })
  stored!: number;

  /** Items that the current or last run could not read. */
  @Column('integer', { default: 0 })
  skipped!: number;

  /** Why the last run failed. */
  @Column('text', { nullable: true })
  lastError!: string | null;
}
