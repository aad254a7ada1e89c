/**
 * Status of a message, as far as it is known. In order of precedence: a later one in the list overrules an earlier one,
 * in any order of the reports; a delivered message stays delivered.
 */
export const SMS_STATUSES = ['unknown', 'accepted', 'sent', 'failed', 'delivered'] as const;
export type SmsStatus = (typeof SMS_STATUSES)[number];

/** Character encoding of a message: GSM-7 has 160 characters per segment, UCS-2 70. */
export type SmsEncoding = 'GSM-7' | 'UCS-2';

/** Longest message in Unicode characters. */
export const SMS_MESSAGE_MAX = 918;

/** Time for the outcome to be stored after the gateway has answered, or has not. */
const STORE_MS = 5_000;

/** Milliseconds in which a message has an outcome, unless its process has died. */
export function concludedWithinMs({ SMS_GATEWAY_TIMEOUT_MS }: { SMS_GATEWAY_TIMEOUT_MS: number }): number {
  return SMS_GATEWAY_TIMEOUT_MS + STORE_MS;
}
