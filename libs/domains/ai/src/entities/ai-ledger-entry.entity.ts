import { Column, Entity, PrimaryColumn } from 'typeorm';

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

/** Credit of the month, which expires, or bought credit, which does not. */
export type LedgerBucket = 'included' | 'purchased';

/** One change of a customer's credit. Never changed, never removed; a correction is a new entry. */
@Entity('ai_ledger_entry')
export class AiLedgerEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_ledger_entry_pk' })
  customerId!: string;

  /** The account's own count, from 1 without gaps. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'ai_ledger_entry_pk' })
  sequence!: string;

  @Column('text')
  kind!: LedgerKind;

  @Column('text')
  bucket!: LedgerBucket;

  /** In NOK as a decimal text; negative takes credit away. */
  @Column('numeric', { precision: 24, scale: 12 })
  amount!: string;

  /** What the bucket holds after the entry. */
  @Column('numeric', { precision: 24, scale: 12 })
  balanceAfter!: string;

  /** The account's month (`YYYY-MM`) the entry counts in; an expiry counts in the month that ended. */
  @Column('text')
  month!: string;

  /** The call that caused it. */
  @Column('uuid', { nullable: true })
  usageId!: string | null;

  /** The credit request that caused it. */
  @Column('integer', { nullable: true })
  creditRequestId!: number | null;

  /** The invoice that pays for it. */
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
