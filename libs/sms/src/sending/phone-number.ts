import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { typeName } from '@app/errors';

/** E.164: a plus sign, a country code and up to fifteen digits in all. */
export const E164 = /^\+[1-9]\d{6,14}$/;
/** What people put between digits. */
const SEPARATORS = /[\s().\-/\u00ad\u2010-\u2015]/g;
const NORWEGIAN = /^[49]\d{7}$/;

/**
 * Whether a text is a telephone number that could exist: the shape of E.164, an assigned country code, and a length
 * that the country uses. Whether it was given out is not looked at, as numbering plans change faster than libraries.
 */
export function isPlausibleRecipient(text: string): boolean {
  return E164.test(text) && parsePhoneNumberFromString(text, { extract: false })?.isPossible() === true;
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
