import { Decimal } from 'decimal.js';
import { ServiceError } from '@platform/errors';

/** Bounds of a decimal text. */
export interface DecimalLimits {
  /** Digits after the point at most. */
  decimals: number;
  /** Smallest and largest value, inclusive. */
  least?: number;
  most?: number;
}

/**
 * Parses an amount that a person typed. Money is stored as decimal text and as `numeric`, never as a binary number.
 * @returns the amount as plain decimal text. @throws ServiceError invalid_request
 */
export function decimalText(text: string, { decimals, least = 0, most = 1e9 }: DecimalLimits): string {
  if (!/^-?\d{1,12}(\.\d+)?$/.test(text))
    throw new ServiceError('invalid_request', `${text} is not an amount, such as 125.50`);
  const value = new Decimal(text);
  if (value.decimalPlaces() > decimals)
    throw new ServiceError('invalid_request', `${text} has more than ${decimals} decimals`);
  if (value.lt(least) || value.gt(most))
    throw new ServiceError('invalid_request', `${text} is not from ${least} to ${most}`);
  return value.toFixed();
}

/** Multiplies a decimal text by a factor, rounded up to a number of decimals. */
export function timesRoundedUp(text: string, factor: string, decimals: number): string {
  return new Decimal(text).times(factor).toDecimalPlaces(decimals, Decimal.ROUND_UP).toFixed();
}

/** An amount with two decimals at most, in hundredths (øre). */
export function hundredths(text: string): bigint {
  return BigInt(new Decimal(text).times(100).toFixed());
}
