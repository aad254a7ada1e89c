import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A charged call: the usage that the upstream reported, and its cost. */
@Entity('ai_usage')
@Index('ai_usage_token_idx', ['customerId', 'tokenId', 'id'])
export class AiUsage {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_usage_pk' })
  customerId!: string;

  /** The id of the call's reservation, which is deleted when the call is charged. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_usage_pk' })
  id!: string;

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

  /** The cost of the tokens at the call's price, exact, as a decimal text. */
  @Column('numeric', { precision: 24, scale: 12 })
  cost!: string;

  /** The part of the cost that no credit covered. The customer is not charged for it. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  uncovered!: string;

  /** The parts that included and purchased credit paid: together `cost` less `uncovered`. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  paidFromIncluded!: string;

  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  paidFromPurchased!: string;

  /** From when the model's price is valid that the call was charged by. */
  @Column('timestamptz', { nullable: true })
  priceValidFrom!: Date | null;

  /** ISO 4217. */
  @Column('text', { default: 'NOK' })
  currency!: string;

  /** The upstream's own id of the call, from its `request-id` header. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  /** The id of the API request. */
  @Column('text', { nullable: true })
  apiRequestId!: string | null;

  @Column('uuid', { nullable: true })
  tokenId!: string | null;

  /** Whether the reply was streamed. */
  @Column('boolean', { default: false })
  streamed!: boolean;

  /** When it was charged. */
  @Column('timestamptz')
  createdAt!: Date;
}
