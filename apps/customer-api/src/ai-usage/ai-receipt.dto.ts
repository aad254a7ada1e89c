import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import type { Receipt, ReceiptFilter } from '@domains/ai';
import { CsvTable } from '@platform/csv';
import { ListQueryDto, PageDto } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { Amount, Count, UsageFilterQueryDto, UsageTokenDto } from './usage.dto';

/** Filters of the receipts. */
export class AiReceiptQueryDto extends IntersectionType(UsageFilterQueryDto, ListQueryDto) {}

/** Maps the query to the domain's filter. */
export function toReceiptFilter(query: AiReceiptQueryDto): ReceiptFilter {
  const { from, to, created_after: createdAfter, created_before: createdBefore, token_id: tokenId, model } = query;
  return { from, to, createdAfter, createdBefore, tokenId, model };
}

/** Prices in NOK per million tokens. */
export class AiPricesDto {
  @Amount(11)
  input!: number;

  @Amount(55)
  output!: number;

  /** The price of input tokens that were written to the cache for 5 minutes. */
  @Amount(13.75)
  cache_write_5m!: number;

  /** The price of input tokens that were written to the cache for 1 hour. */
  @Amount(22)
  cache_write_1h!: number;

  /** The price of input tokens that were read from the cache. */
  @Amount(1.1)
  cache_read!: number;

  /** When these prices became valid. */
  @ApiProperty({ format: 'date-time', example: '2026-01-01T00:00:00.000000Z' })
  valid_from!: string;
}

/** The cost of a message by the credit that paid it. Amounts in NOK, with all decimals. */
export class AiReceiptDto {
  /** The `X-AI-Usage-Id` of the message's reply. */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** When the message was charged. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;

  /** @example 'anthropic' */
  provider!: string;

  /** @example 'claude-haiku-4-5' */
  model!: string;

  /** Input tokens that were neither written to nor read from the cache. */
  @Count(14)
  input_tokens!: number;

  @Count(42)
  output_tokens!: number;

  /** Input tokens that were written to the cache for 5 minutes. */
  @Count(0)
  cache_write_5m_tokens!: number;

  /** Input tokens that were written to the cache for 1 hour. */
  @Count(0)
  cache_write_1h_tokens!: number;

  /** Input tokens that were read from the cache. */
  @Count(0)
  cache_read_tokens!: number;

  /** The prices by which the tokens were charged. */
  @ApiProperty({ type: () => AiPricesDto, nullable: true })
  prices!: AiPricesDto | null;

  /** The charge: `paid_from_included` and `paid_from_purchased` together. */
  @Amount(0.002464)
  cost!: number;

  /** The part that included credit paid. */
  @Amount(0.002)
  paid_from_included!: number;

  /** The part that purchased credit paid. */
  @Amount(0.000464)
  paid_from_purchased!: number;

  /**
   * The part of the tokens' price that is not charged, because a message never costs more than was reserved for it. Nearly
   * always 0.
   */
  @Amount(0)
  uncovered!: number;

  /** @example 'NOK' */
  @ApiProperty({ pattern: '^[A-Z]{3}$', maxLength: 3 })
  currency!: string;

  /** The `X-Request-Id` of the request. */
  @ApiProperty({ type: String, nullable: true, maxLength: 128, example: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11' })
  request_id!: string | null;

  /** The token that the message was sent with. */
  @ApiProperty({ type: () => UsageTokenDto, nullable: true })
  token!: UsageTokenDto | null;

  /** Whether the reply was streamed. */
  streamed!: boolean;
}

/** A page of receipts, newest first. */
export class AiReceiptPageDto extends PageDto {
  /** The receipts. */
  data!: AiReceiptDto[];
}

/** The receipts as CSV. */
export const AI_RECEIPT_TABLE = new CsvTable([
  ...['id', 'created_at', 'provider', 'model'],
  ...['input_tokens', 'output_tokens', 'cache_write_5m_tokens', 'cache_write_1h_tokens', 'cache_read_tokens'],
  ...['input', 'output', 'cache_write_5m', 'cache_write_1h', 'cache_read', 'valid_from'].map(
    (price) => `prices.${price}`,
  ),
  ...['cost', 'paid_from_included', 'paid_from_purchased', 'uncovered', 'currency'],
  ...['request_id', 'token.id', 'token.name', 'streamed'],
]);

/** Maps a receipt to its DTO. */
export function toAiReceiptDto(receipt: Receipt): AiReceiptDto {
  const { tokenId, tokenName } = receipt;
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
    prices: toPricesDto(receipt),
    cost: jsonAmount(receipt.charged),
    paid_from_included: jsonAmount(receipt.paidFromIncluded),
    paid_from_purchased: jsonAmount(receipt.paidFromPurchased),
    uncovered: jsonAmount(receipt.uncovered),
    currency: receipt.currency,
    request_id: receipt.apiRequestId,
    token: tokenId === null ? null : { id: tokenId, name: tokenName },
    streamed: receipt.streamed,
  };
}

function toPricesDto(rates: Receipt): AiPricesDto | null {
  const { input, output, cacheWrite5m, cacheWrite1h, cacheRead, validFrom } = rates;
  if (input === null || output === null || cacheWrite5m === null || cacheWrite1h === null) return null;
  if (cacheRead === null || validFrom === null) return null;
  return {
    input: jsonAmount(input),
    output: jsonAmount(output),
    cache_write_5m: jsonAmount(cacheWrite5m),
    cache_write_1h: jsonAmount(cacheWrite1h),
    cache_read: jsonAmount(cacheRead),
    valid_from: validFrom,
  };
}
