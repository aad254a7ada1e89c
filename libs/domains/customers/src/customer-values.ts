/** Limits in Unicode characters. */
export const CUSTOMER_NAME_MAX = 200;
export const CUSTOMER_NUMBER_MAX = 50;
