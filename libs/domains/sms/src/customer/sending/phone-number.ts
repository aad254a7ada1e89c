import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { typeName } from '@platform/errors';

/** E.164: a plus sign, a country code and up to fifteen digits in all. */
export const E164 = /^\+[1-9]\d{6,14}$/;
/** What people put between digits. */
const SEPARATORS = /[\s().\-/\u00ad\u2010-\u2015]/g;
const NORWEGIAN = /^[49]\d{7}$/;

/** Norway's numbers for machines, which libraries do not know: twelve digits that begin with 58 (Nkom, E.164 plan). */
const NORWEGIAN_MACHINE = /^\+4758\d{10}$/;
/** Networks in orbit, and those across countries that some of them are reached by (ITU country codes). */
const SATELLITE_CODES = ['870', '881', '882', '883'];
/** Parts of a country with an ISO code of their own and the country's numbers and prices. */
const PART_OF: Partial<Record<string, string>> = { SJ: 'NO', AX: 'FI' };

/** Whom a message would go to. */
export interface RecipientKind {
  /** ISO 3166; nothing where the number does not tell, as for networks that are no country's. */
  country?: string;
  /** What nobody may send to: calls and messages there cost many times what others do. */
  never?: 'satellite' | 'premium rate';
}

/**
 * Whether a text is a telephone number that could exist: the shape of E.164, an assigned country code, and a length
 * that the country uses. Whether it was given out is not looked at, as numbering plans change faster than libraries.
 */
export function isPlausibleRecipient(text: string): boolean {
  if (!E164.test(text)) return false;
  return NORWEGIAN_MACHINE.test(text) || parsePhoneNumberFromString(text, { extract: false })?.isPossible() === true;
}

/** Where a plausible number is, and whether it is of a kind that is never sent to. */
export function recipientKind(text: string): RecipientKind {
  const number = parsePhoneNumberFromString(text, { extract: false });
  if (!number) return {};
  if (SATELLITE_CODES.includes(number.countryCallingCode)) return { never: 'satellite' };
  const { country } = number;
  const place = country && { country: PART_OF[country] ?? country };
  return number.getType() === 'PREMIUM_RATE' ? { ...place, never: 'premium rate' } : { ...place };
}

/** What is wrong with the form of a recipient, with what to write instead; nothing if it has the shape of E.164. */
export function recipientFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a string such as "+4790000000", not ${typeName(value)}`;
  if (E164.test(value)) return undefined;
  const general = 'must be a telephone number in international format, such as +4790000000';
  // A text that long is no number written differently.
  if (value.length > 40) return general;
  const digits = value.replace(SEPARATORS, '');
  if (isPlausibleRecipient(digits)) return `must have nothing but digits after the +: write ${digits}`;
  if (!/^\d+$/.test(digits)) return general;
  const international = digits.startsWith('00') ? `+${digits.slice(2)}` : undefined;
  if (international !== undefined && isPlausibleRecipient(international))
    return `must begin with + and not 00: write ${international}`;
  const example = NORWEGIAN.test(digits) ? `write +47${digits} if it is Norwegian` : 'such as +4790000000';
  return `must begin with + and the country code: ${example}`;
}
