import { z } from 'zod';
import { fromDecimals } from '@platform/money';
import { text } from '../read-items';

/** A Stripe timestamp from 2000 to 2199; any other value is an error. */
export const seconds = z.int().min(946_684_800).max(7_258_118_399);

/** A Stripe customer: its id or the expanded object. */
export const customer = z.union([text, z.object({ id: text }).transform(({ id }) => id)]);

/** A currency as Stripe writes it. */
export const currency = z.string().regex(/^[a-z]{3}$/);

/** Stripe's own list of currencies without decimals; ISK and UGX are not on it and have two there. */
const WITHOUT_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const WITH_THREE_DECIMALS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** An amount in Stripe's minor units; undefined if it has a smaller fraction. `code` is the currency in upper case. */
export function minorUnits(amount: number, code: string): bigint | undefined {
  const decimals = WITHOUT_DECIMALS.has(code) ? 0 : WITH_THREE_DECIMALS.has(code) ? 3 : 2;
  return fromDecimals(amount, decimals, code);
}

export function timeOf(unixSeconds: number): Date {
  return new Date(unixSeconds * 1000);
}
