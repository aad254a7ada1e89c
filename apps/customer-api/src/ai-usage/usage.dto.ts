import { ApiProperty } from '@nestjs/swagger';
import { isUUID, IsOptional } from 'class-validator';
import { FieldRule, IsDay, IsText, PageQueryDto } from '@platform/http';

/** Whole numbers that a binary number holds. */
const MOST = Number.MAX_SAFE_INTEGER;

/** An amount in NOK, with all its decimals. */
export function Amount(example: number, { negative = false } = {}): PropertyDecorator {
  return ApiProperty({ type: 'number', ...(negative ? {} : { minimum: 0 }), example });
}

/** A count, as a whole number. */
export function Count(example: number, { least = 0 } = {}): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: least, maximum: MOST, example });
}

/** Days of a list, in the operator's time zone. */
export class PeriodQueryDto extends PageQueryDto {
  /** Only charges and entries of this day or later, in the operator's time zone. */
  @ApiProperty({ required: false, format: 'date', example: '2026-01-01' })
  @IsOptional()
  @IsDay()
  from?: string;

  /** Only charges and entries of this day or earlier. */
  @ApiProperty({ required: false, format: 'date', example: '2026-12-31' })
  @IsOptional()
  @IsDay({ notBefore: 'from' })
  to?: string;
}

/** Which calls a list is of. */
export class UsageFilterQueryDto extends PeriodQueryDto {
  /** Only messages that were sent with the token that has this id. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @FieldRule((value) => (typeof value === 'string' && isUUID(value) ? undefined : 'must be the id of a token, a UUID'))
  token_id?: string;

  /**
   * Only messages that this model answered.
   * @example 'claude-haiku-4-5'
   */
  @IsOptional()
  @IsText({ min: 1, max: 200 })
  model?: string;
}

/** The token that a message was sent with. */
export class UsageTokenDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The operator's name for the token; null if it has none. */
  @ApiProperty({ type: String, nullable: true, maxLength: 80, example: 'ERP production' })
  name!: string | null;
}
