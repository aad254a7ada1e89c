import { z } from 'zod';

/** The AI gateway: months, upstream. */
export const ai = {
  BILLING_TIMEZONE: z
    .string()
    .default('Europe/Oslo')
    .refine((zone) => Intl.supportedValuesOf('timeZone').includes(zone) || zone === 'UTC', 'must be an IANA time zone')
    .describe('time zone whose calendar months AI credit follows'),
};
