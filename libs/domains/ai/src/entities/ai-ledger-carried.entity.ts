import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LedgerBucket } from './ai-ledger-entry.entity';

/** What a customer's ledger entries of dropped months add up to, by bucket. They count here, and no longer by themselves. */
@Entity('ai_ledger_carried')
export class AiLedgerCarried {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_ledger_carried_pk' })
  customerId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'ai_ledger_carried_pk' })
  bucket!: LedgerBucket;

  /** In NOK as a decimal text. */
  @Column('numeric', { precision: 24, scale: 12 })
  balance!: string;

  /** The account's last entry that is carried forward. */
  @Column('bigint')
  sequence!: string;

  /** Entries before this time are carried forward. */
  @Column('timestamptz')
  before!: Date;
}
