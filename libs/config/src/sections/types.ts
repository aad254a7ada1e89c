import { z } from 'zod';

/** A TCP port; 0 lets the system choose. */
export const port = z.coerce.number().int().min(0).max(65535);

/** `true` or `false`, as an environment variable spells it. */
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')]);

/** A whole number of at least one. */
export const positive = z.coerce.number().int().min(1);
