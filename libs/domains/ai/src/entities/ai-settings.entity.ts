import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The thresholds of a customer that has none of its own. app.ai_announce_thresholds has the same. */
export const USUAL_CREDIT_THRESHOLDS = [80];

/** The operator's settings for a customer's use of AI. */
@Entity('ai_settings')
@Check('ai_settings_monthly_limit_check', `monthly_limit >= 0`)
@Check('ai_settings_total_limit_check', `total_limit >= 0`)
@Check(
  'ai_settings_thresholds_check',
  `cardinality(credit_thresholds) between 1 and 5 and 1 <= all (credit_thresholds) and 99 >= all (credit_thresholds)`,
)
export class AiSettings {
  @ForeignKey('customer', 'id', { name: 'ai_settings_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_settings_pk' })
  customerId!: string;

  @Column('boolean', { default: false })
  enabled!: boolean;

  /** The upstream's name of the model. Null: AI is not configured. */
  @Column('text', { nullable: true })
  model!: string | null;

  /** The customer's own provider key, encrypted under SECRETS_KEY; null: the service-wide key is used. */
  @Column('bytea', { nullable: true })
  keyCiphertext!: Buffer | null;

  /** Most included credit that may be used in a month, in NOK as a decimal text; null: no limit. */
  @Column('numeric', { precision: 24, scale: 12, nullable: true })
  monthlyLimit!: string | null;

  /**
   * Most that may be used in a month, purchased credit included, in NOK as a decimal text; null: no limit but the
   * credit.
   */
  @Column('numeric', { precision: 24, scale: 12, nullable: true })
  totalLimit!: string | null;

  /** Shares of the month's credit, in percent, of whose use the customer is told; null: the usual ones. */
  @Column('smallint', { array: true, nullable: true })
  creditThresholds!: number[] | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
