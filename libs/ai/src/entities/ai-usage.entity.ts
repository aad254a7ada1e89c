import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { AiHold } from './ai-hold.entity';

/** What the upstream reported for a call, and what it cost (specification §2, AI usage). */
@Entity('ai_usage')
@Unique('ai_usage_hold_key', ['customerId', 'holdId'])
@Index('ai_usage_newest_idx', { synchronize: false })
@ForeignKey(() => AiHold, ['customerId', 'holdId'], ['customerId', 'id'], { name: 'ai_usage_hold_fk' })
export class AiUsage {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_usage_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_usage_pk' })
  id!: string;

  @Column('uuid')
  holdId!: string;

  /** The upstream's name, such as `anthropic`. */
  @Column('text')
  provider!: string;

  @Column('text')
  model!: string;

  /** Input tokens that were neither written to nor read from a cache. */
  @Column('integer')
  inputTokens!: number;

  @Column('integer', { name: 'cache_write_5m_tokens' })
  cacheWrite5mTokens!: number;

  @Column('integer', { name: 'cache_write_1h_tokens' })
  cacheWrite1hTokens!: number;

  @Column('integer')
  cacheReadTokens!: number;

  @Column('integer')
  outputTokens!: number;

  /** What the tokens cost at the price of the call, exact, as a decimal text. */
  @Column('numeric', { precision: 24, scale: 12 })
  cost!: string;

  /** The part of the cost that no credit was left for; the customer is not charged it. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  uncovered!: string;

  /** ISO 4217. */
  @Column('text', { default: 'NOK' })
  currency!: string;

  /** The upstream's own id of the call, from its `request-id` header. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}
