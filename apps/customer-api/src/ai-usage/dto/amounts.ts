import { ApiProperty } from '@nestjs/swagger';

/** Whole numbers that a binary number holds. */
const MOST = Number.MAX_SAFE_INTEGER;

/** An amount in NOK, with all its decimals. */
export function Amount(example: number, { negative = false } = {}): PropertyDecorator {
  return ApiProperty({ type: 'number', ...(negative ? {} : { minimum: 0 }), example });
}

/** A number of things that are counted. */
export function Count(example: number, { least = 0 } = {}): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: least, maximum: MOST, example });
}
