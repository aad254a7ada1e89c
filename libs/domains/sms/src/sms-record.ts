/**
 * What became of a message, as far as is known. In rising order of what a later piece of news may overrule: a handset
 * that has the message is a fact, whatever was said before.
 */
export const SMS_STATUSES = ['unknown', 'accepted', 'sent', 'failed', 'delivered'] as const;
export type SmsStatus = (typeof SMS_STATUSES)[number];

/** Character encoding on the air: GSM-7 carries 160 characters in one segment, UCS-2 70. */
export type SmsEncoding = 'GSM-7' | 'UCS-2';

/** Longest message in Unicode characters. */
export const SMS_MESSAGE_MAX = 918;
