import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { typeName } from '@platform/errors';

/** E.164: a plus sign, a country code and up to fifteen digits in all. */
export const E164 = /^\+[1-9]\d{6,14}$/;
/** Characters that people write between digits. */
const SEPARATORS = /[\s().\-/\u00ad\u2010-\u2015]/g;
const NORWEGIAN = /^[49]\d{7}$/;

/** Norwegian numbers for machines, which libraries do not know: twelve digits that begin with 58 (Nkom, E.164 plan). */
const NORWEGIAN_MACHINE = /^\+4758\d{10}$/;
/** Country codes of satellite networks and of the international networks that lead to them (ITU). */
const SATELLITE_CODES = ['870', '881', '882', '883'];
/** Country code of personal numbers that belong to no country (ITU: universal personal telecommunication). */
const PERSONAL_CODE = '878';
/** Territories with their own ISO code but another country's numbers and prices. */
const PART_OF: Partial<Record<string, string>> = { SJ: 'NO', AX: 'FI' };

type Never = 'satellite' | 'premium rate' | 'personal (call forwarding)' | 'landline';
/** A type that fits both mobile and fixed lines is neither of these. */
const NEVER: Partial<Record<string, Never>> = {
  PREMIUM_RATE: 'premium rate',
  // Such as +44 70: they look like mobile numbers, and are charged like premium rate ones.
  PERSONAL_NUMBER: 'personal (call forwarding)',
  FIXED_LINE: 'landline',
};

/** Kind of a recipient. */
export interface RecipientKind {
  /** ISO 3166; undefined if the number does not tell, such as for international networks. */
  country?: string;
  /** Set for recipients that are never sent to: messages to them cost many times as much, or cannot be read. */
  never?: Never;
}

/**
 * Whether a telephone number could exist: the format of E.164, an assigned country code, and a length that the country
 * uses. Whether the number is in use is not checked: numbering plans change faster than libraries.
 */
export function isPlausibleRecipient(text: string): boolean {
  if (!E164.test(text)) return false;
  return NORWEGIAN_MACHINE.test(text) || parsePhoneNumberFromString(text, { extract: false })?.isPossible() === true;
}

/** The country of a plausible number, and whether it is of a kind that is never sent to. */
export function recipientKind(text: string): RecipientKind {
  const number = parsePhoneNumberFromString(text, { extract: false });
  if (!number) return {};
  if (SATELLITE_CODES.includes(number.countryCallingCode)) return { never: 'satellite' };
  // The library has them as numbers of internet telephony.
  if (number.countryCallingCode === PERSONAL_CODE) return { never: 'personal (call forwarding)' };
  const { country } = number;
  const place = country && { country: PART_OF[country] ?? country };
  // Of a number for machines the library would take a part.
  const never = NORWEGIAN_MACHINE.test(text) ? undefined : NEVER[number.getType() ?? ''];
  return never ? { ...place, never } : { ...place };
}

/** Why no recipient is of a country; undefined if some are. @param code ISO 3166 */
export function countryFault(code: string): string | undefined {
  const owner = PART_OF[code];
  if (owner !== undefined) return `the numbers of ${code} are those of ${owner}: write ${owner}`;
  return isSupportedCountry(code) ? undefined : `${code} is not a country code (ISO 3166, such as NO)`;
}

/** The fault of a recipient's format, with the corrected number if possible; undefined if it is E.164. */
export function recipientFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a string such as "+4790000000", not ${typeName(value)}`;
  if (E164.test(value)) return undefined;
  const general = 'must be a telephone number in international format, such as +4790000000';
  // A text this long is not a misspelt number.
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
