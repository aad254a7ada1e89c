import type { LedgerEntry, Receipt } from '@domains/ai';
import { jsonAmount } from '@platform/money';

/** The calls of `ai usage` as CSV. */
export const USAGE_COLUMNS = [
  ...['id', 'created_at', 'provider', 'model', 'input_tokens', 'output_tokens', 'cache_write_5m_tokens'],
  ...['cache_write_1h_tokens', 'cache_read_tokens', 'price_valid_from', 'charged', 'paid_from_included'],
  ...[
    'paid_from_purchased',
    'uncovered',
    'currency',
    'request_id',
    'api_request_id',
    'token_id',
    'token_name',
    'streamed',
  ],
];

export function usageRecord(receipt: Receipt): object {
  return {
    id: receipt.id,
    created_at: receipt.createdAt,
    provider: receipt.provider,
    model: receipt.model,
    input_tokens: receipt.inputTokens,
    output_tokens: receipt.outputTokens,
    cache_write_5m_tokens: receipt.cacheWrite5mTokens,
    cache_write_1h_tokens: receipt.cacheWrite1hTokens,
    cache_read_tokens: receipt.cacheReadTokens,
    price_valid_from: receipt.validFrom,
    charged: jsonAmount(receipt.charged),
    paid_from_included: jsonAmount(receipt.paidFromIncluded),
    paid_from_purchased: jsonAmount(receipt.paidFromPurchased),
    uncovered: jsonAmount(receipt.uncovered),
    currency: receipt.currency,
    request_id: receipt.requestId,
    api_request_id: receipt.apiRequestId,
    token_id: receipt.tokenId,
    token_name: receipt.tokenName,
    streamed: receipt.streamed,
  };
}

/** The entries of `ai ledger` as CSV. */
export const LEDGER_COLUMNS = [
  ...['sequence', 'created_at', 'kind', 'bucket', 'amount', 'balance_after', 'month'],
  ...['usage_id', 'credit_request_id', 'invoice_id', 'note', 'actor'],
];

export function ledgerRecord(entry: LedgerEntry): object {
  return {
    sequence: Number(entry.sequence),
    created_at: entry.createdAt,
    kind: entry.kind,
    bucket: entry.bucket,
    amount: jsonAmount(entry.amount),
    balance_after: jsonAmount(entry.balanceAfter),
    month: entry.month,
    usage_id: entry.usageId,
    credit_request_id: entry.creditRequestId,
    invoice_id: entry.invoiceId,
    note: entry.note,
    actor: entry.actor,
  };
}
