import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';

/** The largest `integer` of PostgreSQL. */
const MOST = 2_147_483_647;
/**
 * Eleven days. A timer of Node.js that is set to more than 2,147,483,647 fires at once, and some of these times are doubled, or have
 * seconds added.
 */
const MOST_MS = 1_000_000_000;
/** A hundred years: the times that databases and programs know have bounds. */
const MOST_DAYS = 36_500;

function number(error: string) {
  return z.coerce.number({ error });
}

/** A TCP port; 0 lets the system choose. */
export const port = wholeNumber(0, 65_535, 'must be a port number from 0 to 65535');

/** `true` or `false`. */
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], {
  error: 'must be true or false',
});

/** An http or https address as it is written, for one that is compared: a slash at its end counts. */
export const exactAddress = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/[?#]/.test(text), { error: 'must end with its path: nothing behind a ? or #' });

/** An http or https address of a server, without the slash that may end it, so that a path can be appended. */
export const address = exactAddress.transform((text) => text.replace(/\/$/, ''));

/** Names of ranges that the HTTP server knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal'];

/** Addresses and ranges of proxies, separated by commas, of those that the HTTP server takes. */
export const proxies = z.string().refine((text) => text.split(',').every((part) => isAddressOrRange(part.trim())), {
  error: 'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
});

function isAddressOrRange(text: string): boolean {
  const [address = '', range, ...rest] = text.split('/');
  if (RANGES.includes(text)) return true;
  if (isIP(address) === 0 || rest.length > 0) return false;
  if (range === undefined || (isIPv4(address) && isIPv4(range))) return true;
  return /^\d{1,3}$/.test(range) && Number(range) >= 1 && Number(range) <= (isIPv4(address) ? 32 : 128);
}

/** A count of at least one. */
export const positive = wholeNumber(1, MOST);

/** A count of at least zero. */
export const nonNegative = wholeNumber(0, MOST);

/** Bytes of memory or of a disk. */
export const bytes = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Milliseconds, at least one. */
export const milliseconds = wholeNumber(1, MOST_MS);

/** Milliseconds, or 0 for none. */
export const millisecondsOrNone = wholeNumber(0, MOST_MS);

/** Days, at least one. */
export const days = wholeNumber(1, MOST_DAYS);

/** Days, or 0 for another meaning. */
export const daysOrNone = wholeNumber(0, MOST_DAYS);

/** A number above zero. */
export const rate = number('must be a number above 0').positive({ error: 'must be a number above 0' });

/** A whole number within bounds, which are included. */
export function wholeNumber(least: number, most: number, error = `must be a whole number from ${least} to ${most}`) {
  return number(error).int({ error }).min(least, { error }).max(most, { error });
}
