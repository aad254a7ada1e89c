/** Customers of each database: the more rows, the more each has. */
export const CUSTOMERS = 100;
/** Months over which the rows are spread, in every size alike. */
export const MONTHS = 24;
/** What each size has that many rows of. */
export const TABLES = ['ai_usage', 'ai_ledger_entry', 'sms_message'] as const;
