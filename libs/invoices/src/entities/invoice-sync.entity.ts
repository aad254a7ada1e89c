import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { BillingSourceName } from '../invoice-record';
import { BillingAccount } from './billing-account.entity';

/** How the sync of a customer's invoices from one source stands. */
@Entity('invoice_sync')
@Index('invoice_sync_due_idx', ['dueAt'])
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

  /** Until when a worker has it to itself. */
  @Column('timestamptz', { nullable: true })
  lockedUntil!: Date | null;

  /** Runs that failed since the last that succeeded. */
  @Column('integer', { default: 0 })
  failures!: number;

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
