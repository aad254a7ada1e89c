import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The kinds of ledger entries. */
export const LEDGER_KINDS = [
  'monthly_included',
  'usage',
  'manual_adjustment',
  'invoice_topup',
  'refund',
  'expiry',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** Included credit, which expires with its month, or purchased credit, which does not. */
export type LedgerBucket = 'included' | 'purchased';

/** One change of a customer's credit. Entries are never changed or deleted; a correction is a new entry. */
@Entity('ai_ledger_entry')
@Index('ai_ledger_entry_sequence_idx', ['customerId', 'sequence'])
@Index('ai_ledger_entry_other_idx', { synchronize: false })
export class AiLedgerEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_ledger_entry_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_ledger_entry_pk', default: () => 'app.new_id()' })
  id!: string;

  /** Numbers the account's entries from 1, without gaps. */
  @Column('bigint')
  sequence!: string;

  @Column('text')
  kind!: LedgerKind;

  @Column('text')
  bucket!: LedgerBucket;

  /** In NOK as a decimal text; negative if it reduces the credit. */
  @Column('numeric', { precision: 24, scale: 12 })
  amount!: string;

  /** Balance of the bucket after the entry. */
  @Column('numeric', { precision: 24, scale: 12 })
  balanceAfter!: string;

  /** The account's month (`YYYY-MM`) of the entry; an expiry belongs to the month that ended. */
  @Column('text')
  month!: string;

  /** The call that caused it. */
  @Column('uuid', { nullable: true })
  usageId!: string | null;

  /** The credit request that caused it. */
  @Column('integer', { nullable: true })
  creditRequestId!: number | null;

  /** The invoice for it. */
  @Column('uuid', { nullable: true })
  invoiceId!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  /** `system`, or `operator:<system user>`. */
  @Column('text')
  actor!: string;

  @Column('timestamptz')
  createdAt!: Date;
}
