import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LedgerBucket } from './ai-ledger-entry.entity';

/** The sum of a customer's ledger entries of dropped months, by bucket. It stands for those entries. */
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
