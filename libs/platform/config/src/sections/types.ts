import { z } from 'zod';

function number(error: string) {
  return z.coerce.number({ error });
}

/** A TCP port; 0 lets the system choose. */
export const port = wholeNumber(0, 65_535, 'must be a port number from 0 to 65535');

/** `true` or `false`. */
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], {
  error: 'must be true or false',
});

/** An http or https address of a server, without the slash that may end it, so that a path can be appended. */
export const address = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/$/, ''));

/** A whole number of at least one. */
export const positive = wholeNumber(1);

/** A whole number of at least zero. */
export const nonNegative = wholeNumber(0);

/** A number above zero. */
export const rate = number('must be a number above 0').positive({ error: 'must be a number above 0' });

function wholeNumber(
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  error = `must be a whole number of at least ${least}`,
) {
  return number(error).int({ error }).min(least, { error }).max(most, { error });
}
