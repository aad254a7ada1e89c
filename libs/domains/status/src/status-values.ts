/** Longest message of an event, in Unicode characters. */
export const STATUS_MESSAGE_MAX = 2000;
