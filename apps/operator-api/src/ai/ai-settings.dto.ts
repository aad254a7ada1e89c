import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  AI_FAULTS,
  type AiConfigurationView,
  type AiFault,
  CREDIT_NOTE_MAX,
  CREDIT_THRESHOLDS_MAX,
  PROVIDER_KEY_MAX,
  providerKeyFault,
  THRESHOLD_PERCENTS,
  thresholdsFault,
} from '@domains/ai';
import { FieldRule, IsAmount, IsOneOf, IsText, IsTrueOrFalse, MayBeLeftOut } from '@platform/http';
import { jsonAmount } from '@platform/money';

/** A change of a customer's AI settings; fields left out stay as they are. */
export class ConfigureAiDto {
  /** Whether the customer may use AI. */
  @MayBeLeftOut()
  @IsTrueOrFalse()
  @ApiProperty({ required: false, example: true })
  enabled?: boolean;

  /** The model that answers; it must have a price. */
  @MayBeLeftOut()
  @IsText({ min: 1, max: 200 })
  @ApiProperty({ required: false, example: 'claude-haiku-4-5' })
  model?: string;

  /** Included credit per month. An increase is added at once, a decrease applies from next month. */
  @MayBeLeftOut()
  @IsAmount({ min: 0, max: 1_000_000_000 })
  @ApiProperty({ required: false, example: 500 })
  included_nok?: number;

  /** Most included credit that may be used in a month; null removes the limit. */
  @IsOptional()
  @IsAmount({ min: 0, max: 1_000_000_000 })
  @ApiProperty({ type: Number, required: false, nullable: true })
  monthly_limit_nok?: number | null;

  /** Most that may be used in a month, purchased credit included; null removes the limit. */
  @IsOptional()
  @IsAmount({ min: 0, max: 1_000_000_000 })
  @ApiProperty({ type: Number, required: false, nullable: true })
  total_limit_nok?: number | null;

  /** Shares of the month's credit, in percent, of whose use the customer is told; null returns to 80. */
  @IsOptional()
  @FieldRule(thresholdsFault)
  @ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int32', minimum: THRESHOLD_PERCENTS.min, maximum: THRESHOLD_PERCENTS.max },
    maxItems: CREDIT_THRESHOLDS_MAX,
    required: false,
    nullable: true,
  })
  credit_thresholds?: number[] | null;

  /** The customer's own provider key, which no reply shows; null returns to the service-wide one. */
  @IsOptional()
  @FieldRule(providerKeyFault)
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: PROVIDER_KEY_MAX, writeOnly: true })
  provider_key?: string | null;
}

/** A customer's AI settings and balances, in NOK. */
export class AiSettingsDto {
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  /** @example true */
  enabled!: boolean;

  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: 'claude-haiku-4-5' })
  model!: string | null;

  /**
   * Whether it has a provider key of its own.
   * @example false
   */
  own_key!: boolean;

  /**
   * Included credit per month according to its `ai` service.
   * @example 500
   */
  monthly_included_nok!: number;

  /** @example 500 */
  included_this_month_nok!: number;

  /** @example 500 */
  included_from_next_month_nok!: number;

  @ApiProperty({ type: Number, nullable: true, example: null })
  monthly_limit_nok!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null })
  total_limit_nok!: number | null;

  /** Shares of the month's credit, in percent, of whose use it is told. */
  @ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int32', minimum: 1, maximum: 99 },
    maxItems: 5,
    example: [80],
  })
  credit_thresholds!: number[];

  /** The account's month. */
  @ApiProperty({ type: String, nullable: true, maxLength: 7, example: '2026-11' })
  month!: string | null;

  /**
   * Included credit that is left.
   * @example 387.5
   */
  included_nok!: number;

  /**
   * Purchased credit that is left.
   * @example 5000
   */
  purchased_nok!: number;

  /**
   * Reserved by calls in progress.
   * @example 0
   */
  reserved_nok!: number;

  /**
   * Used in the month.
   * @example 112.5
   */
  month_usage_nok!: number;

  /**
   * Why all its messages are refused, as far as the settings go: AI is not enabled, it has no model, the model has no price in force,
   * there is no key, or its own one cannot be decrypted. Null if they are answered.
   */
  @ApiProperty({ type: String, enum: AI_FAULTS, nullable: true, example: null })
  fault!: AiFault | null;
}

const CREDIT_KINDS = ['manual_adjustment', 'refund'] as const;

/** A correction of a customer's credit. */
export class AddCreditDto {
  @ApiProperty({ enum: CREDIT_KINDS, example: 'refund' })
  @IsOneOf(CREDIT_KINDS)
  kind!: (typeof CREDIT_KINDS)[number];

  /** Amount as a decimal text, up to 1,000,000,000 NOK; an adjustment may be negative. */
  @FieldRule((value) =>
    typeof value === 'string' && /^-?\d{1,10}(\.\d{1,12})?$/.test(value)
      ? undefined
      : 'must be a decimal number as text, such as 12.50',
  )
  @ApiProperty({ pattern: '^-?\\d{1,10}(\\.\\d{1,12})?$', maxLength: 24, example: '12.50' })
  amount_nok!: string;

  /**
   * Why; the customer reads it in its ledger.
   * @example 'Calls of 3 March'
   */
  @IsText({ min: 1, max: CREDIT_NOTE_MAX })
  note!: string;
}

/** Maps settings to their DTO. */
export function toAiSettingsDto(view: AiConfigurationView): AiSettingsDto {
  const amount = (text: string | null) => (text === null ? null : jsonAmount(text));
  return {
    customer_id: view.customerId,
    enabled: view.enabled,
    model: view.model,
    own_key: view.ownKey,
    monthly_included_nok: jsonAmount(view.monthlyIncludedNok),
    included_this_month_nok: jsonAmount(view.includedThisMonthNok),
    included_from_next_month_nok: jsonAmount(view.includedFromNextMonthNok),
    monthly_limit_nok: amount(view.monthlyLimitNok),
    total_limit_nok: amount(view.totalLimitNok),
    credit_thresholds: view.creditThresholds,
    month: view.month,
    included_nok: jsonAmount(view.includedNok),
    purchased_nok: jsonAmount(view.purchasedNok),
    reserved_nok: jsonAmount(view.reservedNok),
    month_usage_nok: jsonAmount(view.monthUsageNok),
    fault: view.fault,
  };
}
