import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The price of a model from a moment on: five rates in NOK per million tokens, as decimal texts. Never changed once
 * set.
 */
@Entity('ai_model_price')
@Check(
  'ai_model_price_rates_check',
  `input >= 0 and cache_write_5m >= 0 and cache_write_1h >= 0 and cache_read >= 0 and output >= 0`,
)
export class AiModelPrice {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'ai_model_price_pk' })
  model!: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'ai_model_price_pk' })
  validFrom!: Date;

  @Column('numeric', { precision: 18, scale: 6 })
  input!: string;

  /** Writes to a cache with a time to live of five minutes. */
  @Column('numeric', { name: 'cache_write_5m', precision: 18, scale: 6 })
  cacheWrite5m!: string;

  /** Writes to a cache with a time to live of an hour. */
  @Column('numeric', { name: 'cache_write_1h', precision: 18, scale: 6 })
  cacheWrite1h!: string;

  @Column('numeric', { precision: 18, scale: 6 })
  cacheRead!: string;

  @Column('numeric', { precision: 18, scale: 6 })
  output!: string;

  /** True for an example price that came with the service. */
  @Column('boolean', { default: false })
  example!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
