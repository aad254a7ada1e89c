import type { ReadRow } from '@platform/database';
import type { AiModelPrice } from '../../entities/ai-model-price.entity';
import type { AiUsage } from '../../entities/ai-usage.entity';
import type { Period } from '../period';

/** What a receipt has of the call's usage row. */
export const USAGE = [
  'id',
  'createdAt',
  'provider',
  'model',
  'inputTokens',
  'outputTokens',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'cacheReadTokens',
  'uncovered',
  'paidFromIncluded',
  'paidFromPurchased',
  'currency',
  'requestId',
  'apiRequestId',
  'tokenId',
  'streamed',
] as const satisfies (keyof AiUsage)[];

/** The prices that a call was charged by. */
export const PRICES = [
  'input',
  'output',
  'cacheWrite5m',
  'cacheWrite1h',
  'cacheRead',
  'validFrom',
] as const satisfies (keyof AiModelPrice)[];

/** A price is never removed, but no key of the database says so. */
type Nullable<Row> = { [Property in keyof Row]: Row[Property] | null };

/** The receipt of a call that was charged: amounts in NOK, rates in NOK per million tokens, all as decimal texts. */
export type Receipt = ReadRow<AiUsage, (typeof USAGE)[number]> &
  Nullable<ReadRow<AiModelPrice, (typeof PRICES)[number]>> & {
    /** What was charged: the parts that included and purchased credit paid. */
    charged: string;
    /** What the operator calls the token. */
    tokenName: string | null;
  };

/** Which receipts a list has. */
export interface ReceiptFilter extends Period {
  tokenId?: string;
  model?: string;
}
