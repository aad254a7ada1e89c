/** Longest reason of a rejection, in Unicode characters. */
export const REJECTION_REASON_MAX = 1000;
