/** What the sums of a summary are of. */
export const USAGE_GROUPS = ['day', 'month', 'model', 'token'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Which calls a summary counts: of which days (in the billing time zone, both included), token and model. */
export interface UsageSummaryFilter {
  groupBy: UsageGroup;
  /** Default: the first day of the month of `to`. */
  from?: string;
  /** Default: today. */
  to?: string;
  tokenId?: string;
  model?: string;
}

/** The sums of a group: tokens and calls as whole numbers, amounts in NOK as decimal texts. */
export interface UsageSum {
  /** The day, month or model, or the token's id. */
  key: string;
  /** What the operator calls the token of a group by token. */
  tokenName: string | null;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheWrite5mTokens: number;
  cacheWrite1hTokens: number;
  cacheReadTokens: number;
  charged: string;
  paidFromIncluded: string;
  paidFromPurchased: string;
  uncovered: string;
}

/** Stands in the daily sums for calls without a token. */
export const NO_TOKEN = '00000000-0000-0000-0000-000000000000';
