/** Longest description of an endpoint, in Unicode characters. */
export const WEBHOOK_DESCRIPTION_MAX = 255;
