/**
 * The columns of amounts, of all commands. Texts of other columns stay as they are, also those that look like an amount: a reference
 * `47.110` is not 47.11.
 */
const AMOUNTS: ReadonlySet<string> = new Set([
  ...['amount', 'amount_due', 'amount_nok', 'balance_after', 'charged', 'uncovered', 'found', 'expected'],
  ...['paid_from_included', 'paid_from_purchased', 'input', 'output', 'cache_write5m', 'cache_write1h', 'cache_read'],
  ...['topped_up', 'refunded', 'adjusted', 'used_purchased', 'used_included', 'granted', 'expired'],
  ...['monthly_included_nok', 'included_this_month_nok', 'included_from_next_month_nok', 'monthly_limit_nok'],
  ...['total_limit_nok', 'included_nok', 'purchased_nok', 'reserved_nok', 'month_usage_nok'],
]);

/** Whether the value of a column is an amount. What is found and what is expected can be words, too. */
export function isAmount(column: string, value: unknown): value is string {
  return AMOUNTS.has(column) && typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
}
