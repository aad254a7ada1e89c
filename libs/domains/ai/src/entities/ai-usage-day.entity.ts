import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Sums of the usage rows of a day, a model and a token. The settlement of a call adds to them in its transaction. */
@Entity('ai_usage_day')
@Index('ai_usage_day_day_idx', { synchronize: false })
export class AiUsageDay {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_usage_day_pk' })
  customerId!: string;

  /** The day (`YYYY-MM-DD`, in the billing time zone) of the calls' `createdAt`. */
  @PrimaryColumn('date', { primaryKeyConstraintName: 'ai_usage_day_pk' })
  day!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'ai_usage_day_pk' })
  model!: string;

  /** The nil UUID for calls without a token. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_usage_day_pk' })
  tokenId!: string;

  /** Number of calls. */
  @Column('bigint')
  calls!: string;

  @Column('bigint')
  inputTokens!: string;

  @Column('bigint', { name: 'cache_write_5m_tokens' })
  cacheWrite5mTokens!: string;

  @Column('bigint', { name: 'cache_write_1h_tokens' })
  cacheWrite1hTokens!: string;

  @Column('bigint')
  cacheReadTokens!: string;

  @Column('bigint')
  outputTokens!: string;

  /** In NOK as decimal texts, as in the usage rows. */
  @Column('numeric', { precision: 24, scale: 12 })
  cost!: string;

  @Column('numeric', { precision: 24, scale: 12 })
  uncovered!: string;

  @Column('numeric', { precision: 24, scale: 12 })
  paidFromIncluded!: string;

  @Column('numeric', { precision: 24, scale: 12 })
  paidFromPurchased!: string;
}
