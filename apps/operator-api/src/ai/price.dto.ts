import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { AiModelPrice, ListedAiPrice, OfferedModel } from '@domains/ai';
import { FieldRule, InboxPageDto, IsDay, IsText, MayBeLeftOut, WHOLE_LIST_MAX } from '@platform/http';
import { type BillingCalendar, timeText } from '@platform/time';

/** An amount per million tokens, as a decimal text: prices are exact. */
function IsRate(): PropertyDecorator {
  return FieldRule((value) =>
    typeof value === 'string' && /^\d{1,7}(\.\d{1,6})?$/.test(value)
      ? undefined
      : 'must be a decimal number as text, such as 12.50',
  );
}

const RATE = { pattern: '^\\d{1,7}(\\.\\d{1,6})?$', maxLength: 14 };

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
  @MayBeLeftOut()
  @IsRate()
  @ApiProperty({ ...RATE, required: false })
  cache_write_5m?: string;

  /** Cache writes for 1 hour; 2 × input if left out. */
  @MayBeLeftOut()
  @IsRate()
  @ApiProperty({ ...RATE, required: false })
  cache_write_1h?: string;

  /** Cache reads; 0.1 × input if left out. */
  @MayBeLeftOut()
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

  /** The day of `valid_from` in the billing time zone, by which a price is taken back. */
  @ApiProperty({ format: 'date', example: '2026-11-20' })
  first_day!: string;

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

/** Maps a price to its DTO. */
export function toPriceDto(price: AiModelPrice, calendar: BillingCalendar): PriceDto {
  const validFrom = timeText(price.validFrom);
  return {
    id: `${price.model}:${validFrom}`,
    model: price.model,
    valid_from: validFrom,
    first_day: calendar.dateOf(price.validFrom),
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
export const toListedPriceDto = (price: ListedAiPrice, calendar: BillingCalendar): ListedPriceDto =>
  Object.assign(toPriceDto(price, calendar), { in_force: price.inForce });

/** Maps a model to its DTO. */
export function toOfferedModelDto({ price, customers, usual }: OfferedModel): OfferedModelDto {
  const { model, input, output, example } = price;
  return { model, input, output, example, customers, usual };
}
