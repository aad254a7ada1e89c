import { z } from 'zod';
import { decimalsOf } from '../money';

/** A point in time as Stripe writes it. */
export const seconds = z.int().positive();

/** A customer as Stripe writes it: its id, or all of it. */
export const customer = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);

/** A currency as Stripe writes it. */
export const currency = z.string().regex(/^[a-z]{3}$/);

/** Stripe writes these two with two decimals although they have none. */
const PADDED = new Set(['ISK', 'UGX']);

/** An amount of Stripe's in minor units. `code` is the currency in upper case. */
export function minorUnits(amount: number, code: string): bigint {
  return BigInt(amount) / (PADDED.has(code) ? 10n ** BigInt(2 - decimalsOf(code)) : 1n);
}

export function timeOf(unixSeconds: number): Date {
  return new Date(unixSeconds * 1000);
}
