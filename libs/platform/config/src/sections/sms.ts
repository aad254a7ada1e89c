import { z } from 'zod';
import { address, milliseconds, nonNegative } from './types';

/** The SMS gateway, and how much may be sent through it. */
export const sms = {
  SMS_GATEWAY: z
    .enum(['46elks', 'link-mobility'])
    .default('46elks')
    .describe('gateway that SMS are sent through; the sandbox replaces a gateway that has no credentials'),
  SMS_GATEWAY_TIMEOUT_MS: milliseconds
    .default(10_000)
    .describe('maximum time of a call to an SMS gateway, retries included'),
  SMS_DAILY_CAP: nonNegative
    .default(10_000)
    .describe('SMS a customer may send per calendar day, unless the operator set another cap'),
  SMS_DAILY_PARTS_CAP: nonNegative
    .default(30_000)
    .describe('parts (segments) of SMS a customer may send per calendar day, unless the operator set another cap'),
  SMS_COUNTRIES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .toUpperCase()
        .split(',')
        .map((country) => country.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.string().regex(/^[A-Z]{2}$/, 'must be ISO 3166 codes such as NO,SE')))
    .describe(
      'countries that SMS may be sent to, as comma separated ISO 3166 codes; default: all. The operator can set others for a customer. Satellite, premium rate and personal (call forwarding) numbers are never allowed',
    ),
  SMS_REPORT_URL: address
    .optional()
    .describe('address under which 46elks reaches the internal listener; default: no delivery reports are asked for'),
  ELKS_URL: address.default('https://api.46elks.com').describe('base address of 46elks'),
  ELKS_USERNAME: z.string().optional().describe('API user name at 46elks'),
  ELKS_PASSWORD: z.string().optional().describe('API password at 46elks; secret'),
  LINK_URL: address
    .default('https://wsx.sp247.net')
    .describe('base address of LINK Mobility, as assigned to the account'),
  LINK_USERNAME: z.string().optional().describe('user name at LINK Mobility'),
  LINK_PASSWORD: z.string().optional().describe('password at LINK Mobility; secret'),
  LINK_PLATFORM_ID: z.string().default('COMMON_API').describe('platformId at LINK Mobility'),
  LINK_PLATFORM_PARTNER_ID: z.string().default('0').describe('platformPartnerId at LINK Mobility'),
  LINK_REPORT_GATE: z
    .string()
    .optional()
    .describe('gate that LINK Mobility set up for delivery reports; default: no delivery reports are asked for'),
};
