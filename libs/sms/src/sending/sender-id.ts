import { E164 } from './phone-number';

const ALPHANUMERIC = /^(?=.*[a-z])[a-z0-9 ]{1,11}$/i;
const SHORT_NUMBER = /^\d{3,8}$/;

/** Whether a text can stand as sender: up to 11 letters, digits and spaces with a letter among them, or a number. */
export function isSenderId(text: string): boolean {
  return (ALPHANUMERIC.test(text) && text.trim() === text) || E164.test(text) || SHORT_NUMBER.test(text);
}
