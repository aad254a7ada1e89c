import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** E.164: a plus sign, a country code and up to fifteen digits in all. */
export const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Whether a text is a telephone number that could exist: the shape of E.164, an assigned country code, and a length
 * that the country uses. Whether it was given out is not looked at, as numbering plans change faster than libraries.
 */
export function isPlausibleRecipient(text: string): boolean {
  return E164.test(text) && parsePhoneNumberFromString(text, { extract: false })?.isPossible() === true;
}
