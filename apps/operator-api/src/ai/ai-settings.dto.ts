import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { AiConfigurationView, AiModelPrice, LedgerProblem, ListedAiPrice, OfferedModel } from '@domains/ai';
import {
  FieldRule,
  InboxPageDto,
  IsAmount,
  IsDay,
  IsOneOf,
  IsText,
  IsTrueOrFalse,
  IsId,
  WHOLE_LIST_MAX,
} from '@platform/http';
import { jsonAmount } from '@platform/money';
import { timeText } from '@platform/time';

/** An amount per million tokens, as a decimal text: prices are exact. */
function IsRate(): PropertyDecorator {
  return FieldRule((value) =>
    typeof value === 'string' && /^\d{1,7}(\.\d{1,6})?$/.test(value)
      ? undefined
      : 'must be a decimal number as text, such as 12.50',
  );
}

const RATE = { pattern: '^\\d{1,7}(\\.\\d{1,6})?$', maxLength: 14 };

/** A change of a customer's AI settings; fields left out stay as they are. */
export class ConfigureAiDto {
  /** Whether the customer may use AI. */
  @IsOptional()
  @IsTrueOrFalse()
  @ApiProperty({ required: false, example: true })
  enabled?: boolean;

  /** The model that answers; it must have a price. */
  @IsOptional()
  @IsText({ min: 1, max: 200 })
  @ApiProperty({ required: false, example: 'claude-haiku-4-5' })
  model?: string;

  /** Included credit per month. An increase is added at once, a decrease applies from next month. */
  @IsOptional()
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
  @FieldRule((value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 5 &&
    value.every((one) => Number.isInteger(one) && one >= 1 && one <= 99) &&
    new Set(value).size === value.length
      ? undefined
      : 'must be a list of one to five different whole numbers from 1 to 99',
  )
  @ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int32', minimum: 1, maximum: 99 },
    maxItems: 5,
    required: false,
    nullable: true,
  })
  credit_thresholds?: number[] | null;

  /** The customer's own provider key, which no reply shows; null returns to the service-wide one. */
  @IsOptional()
  @FieldRule((value) =>
    typeof value === 'string' && /^[\x21-\x7e]{8,500}$/.test(value)
      ? undefined
      : 'must be one word of 8 to 500 characters',
  )
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: 500, writeOnly: true })
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
}

/** A new price, in NOK per million tokens. */
export class SetPriceDto {
  /**
   * The provider's name of the model.
   * @example 'claude-haiku-4-5'
   */
  @IsText({ min: 1, max: 200 })
  model!: string;

  /** Input tokens. */
  @IsRate()
  @ApiProperty({ ...RATE, example: '12' })
  input!: string;

  /** Output tokens. */
  @IsRate()
  @ApiProperty({ ...RATE, example: '60' })
  output!: string;

  /** Cache writes for 5 minutes; 1.25 × input if left out. */
  @IsOptional()
  @IsRate()
  @ApiProperty({ ...RATE, required: false })
  cache_write_5m?: string;

  /** Cache writes for 1 hour; 2 × input if left out. */
  @IsOptional()
  @IsRate()
  @ApiProperty({ ...RATE, required: false })
  cache_write_1h?: string;

  /** Cache reads; 0.1 × input if left out. */
  @IsOptional()
  @IsRate()
  @ApiProperty({ ...RATE, required: false })
  cache_read?: string;

  /** First day, in the billing time zone; now if left out. */
  @IsOptional()
  @IsDay()
  @ApiProperty({ type: String, required: false, nullable: true, format: 'date', example: '2027-02-01' })
  from?: string | null;
}

/** A price to be taken back. */
export class WithdrawPriceDto {
  /** @example 'claude-haiku-4-5' */
  @IsText({ min: 1, max: 200 })
  model!: string;

  /** Its first day, in the billing time zone. */
  @IsDay()
  @ApiProperty({ format: 'date', example: '2027-02-01' })
  from!: string;
}

/** A price, in NOK per million tokens as decimal texts. */
export class PriceDto {
  /** The model and its first moment, as one text. */
  @ApiProperty({ maxLength: 250, example: 'claude-haiku-4-5:2026-11-20T12:00:00.000000Z' })
  id!: string;

  /** @example 'claude-haiku-4-5' */
  @ApiProperty({ maxLength: 200 })
  model!: string;

  @ApiProperty({ format: 'date-time' })
  valid_from!: string;

  @ApiProperty({ maxLength: 30, example: '12.000000' })
  input!: string;

  @ApiProperty({ maxLength: 30, example: '60.000000' })
  output!: string;

  @ApiProperty({ maxLength: 30, example: '15.000000' })
  cache_write_5m!: string;

  @ApiProperty({ maxLength: 30, example: '24.000000' })
  cache_write_1h!: string;

  @ApiProperty({ maxLength: 30, example: '1.200000' })
  cache_read!: string;

  /**
   * Whether it is an example price that came with the service.
   * @example false
   */
  example!: boolean;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A price in the list. */
export class ListedPriceDto extends PriceDto {
  /**
   * Whether it is the price that calls of the model have now.
   * @example true
   */
  in_force!: boolean;
}

/** All prices, by model, the newest first. */
export class PricePageDto extends InboxPageDto {
  @ApiProperty({ type: [ListedPriceDto], maxItems: WHOLE_LIST_MAX })
  data!: ListedPriceDto[];
}

/** A model that a customer can be given, with its price in NOK per million tokens. */
export class OfferedModelDto {
  /** @example 'claude-haiku-4-5' */
  @ApiProperty({ maxLength: 200 })
  model!: string;

  @ApiProperty({ maxLength: 30, example: '12.000000' })
  input!: string;

  @ApiProperty({ maxLength: 30, example: '60.000000' })
  output!: string;

  /**
   * Whether it is an example price that came with the service.
   * @example false
   */
  example!: boolean;

  /** How many customers may use it. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 12 })
  customers!: number;

  /**
   * Whether it is the one to propose: the only one, or the one that more customers may use than any other. Example prices do not
   * count beside those that you have set.
   * @example true
   */
  usual!: boolean;
}

/** The models that have a price in force. */
export class OfferedModelListDto {
  @ApiProperty({ type: [OfferedModelDto], maxItems: WHOLE_LIST_MAX })
  data!: OfferedModelDto[];
}

const CREDIT_KINDS = ['manual_adjustment', 'refund'] as const;

/** A correction of a customer's credit. */
export class AddCreditDto {
  @ApiProperty({ enum: CREDIT_KINDS, example: 'refund' })
  @IsOneOf(CREDIT_KINDS)
  kind!: (typeof CREDIT_KINDS)[number];

  /** Amount as a decimal text; an adjustment may be negative. */
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
  @IsText({ min: 1, max: 1000 })
  note!: string;
}

/** Filters of a verification. */
export class VerificationQueryDto {
  /** Only this customer's account. */
  @IsId()
  customer_id?: string;
}

/** A difference between an account and its ledger. */
export class LedgerProblemDto {
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  @ApiProperty({ maxLength: 500 })
  problem!: string;

  @ApiProperty({ type: String, nullable: true, maxLength: 500 })
  found!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 500 })
  expected!: string | null;
}

/** The result of a verification. */
export class VerificationDto {
  /** The number of accounts that were checked. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 240 })
  accounts!: number;

  /** The differences; none if all is well. */
  @ApiProperty({ type: [LedgerProblemDto], maxItems: 100_000, example: [] })
  problems!: LedgerProblemDto[];
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
  };
}

/** Maps a price to its DTO. */
export function toPriceDto(price: AiModelPrice): PriceDto {
  const validFrom = timeText(price.validFrom);
  return {
    id: `${price.model}:${validFrom}`,
    model: price.model,
    valid_from: validFrom,
    input: price.input,
    output: price.output,
    cache_write_5m: price.cacheWrite5m,
    cache_write_1h: price.cacheWrite1h,
    cache_read: price.cacheRead,
    example: price.example,
    created_at: timeText(price.createdAt),
  };
}

/** Maps a price of the list to its DTO. */
export const toListedPriceDto = (price: ListedAiPrice): ListedPriceDto =>
  Object.assign(toPriceDto(price), { in_force: price.inForce });

/** Maps a model to its DTO. */
export function toOfferedModelDto({ price, customers, usual }: OfferedModel): OfferedModelDto {
  const { model, input, output, example } = price;
  return { model, input, output, example, customers, usual };
}

/** Maps a difference to its DTO. */
export function toLedgerProblemDto({ customerId, problem, found, expected }: LedgerProblem): LedgerProblemDto {
  return { customer_id: customerId, problem, found, expected };
}
