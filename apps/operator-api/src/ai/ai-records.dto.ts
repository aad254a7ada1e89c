import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  LEDGER_KINDS,
  type LedgerEntry,
  type LedgerKind,
  type Receipt,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageSum,
} from '@domains/ai';
import { InboxPageDto, InboxQueryDto, IsDay, IsOneOf, IsText, IsId } from '@platform/http';
import { jsonAmount } from '@platform/money';

/** Which of a customer's records. */
export class AiRecordQueryDto extends InboxQueryDto {
  /** The customer. */
  @IsId({ required: true })
  customer_id!: string;

  /** First day, in the billing time zone. */
  @IsOptional()
  @IsDay()
  @ApiProperty({ required: false, format: 'date', example: '2026-11-01' })
  from?: string;

  /** Last day. */
  @IsOptional()
  @IsDay({ notBefore: 'from' })
  @ApiProperty({ required: false, format: 'date', example: '2026-11-30' })
  to?: string;
}

/** Filters of a customer's ledger. */
export class LedgerQueryDto extends AiRecordQueryDto {
  /** Only entries of this kind. */
  @ApiProperty({ required: false, enum: LEDGER_KINDS })
  @IsOptional()
  @IsOneOf(LEDGER_KINDS)
  kind?: LedgerKind;
}

/** Filters of a customer's charged calls. */
export class UsageQueryDto extends AiRecordQueryDto {
  /** Only calls with this token. */
  @IsId()
  token_id?: string;

  /** Only calls that this model answered. */
  @IsOptional()
  @IsText({ min: 1, max: 200 })
  @ApiProperty({ required: false, example: 'claude-haiku-4-5' })
  model?: string;
}

/** Filters of a customer's sums. */
export class UsageSummaryQueryDto extends UsageQueryDto {
  /** The groups that have a sum each. */
  @ApiProperty({ enum: USAGE_GROUPS, example: 'day' })
  @IsOneOf(USAGE_GROUPS)
  group_by!: UsageGroup;
}

/** An entry of a customer's ledger, in NOK. */
export class LedgerEntryDto {
  /** The number of the entry. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991, example: 4711 })
  sequence!: number;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ enum: LEDGER_KINDS, example: 'usage' })
  kind!: LedgerKind;

  @ApiProperty({ enum: ['included', 'purchased'] })
  bucket!: string;

  /** @example -0.002464 */
  amount!: number;

  /** @example 412.497536 */
  balance_after!: number;

  @ApiProperty({ maxLength: 7, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  usage_id!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true, example: null })
  credit_request_id!: number | null;

  @ApiProperty({ type: String, nullable: true, format: 'uuid', example: null })
  invoice_id!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 5000, example: null })
  note!: string | null;

  /** Who booked it, as the audit log has it. */
  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: null })
  actor!: string | null;
}

/** A page of a ledger, the latest first. */
export class LedgerPageDto extends InboxPageDto {
  @ApiProperty({ type: [LedgerEntryDto] })
  data!: LedgerEntryDto[];
}

/** A charged call, in NOK. */
export class ReceiptDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ maxLength: 200, example: 'claude-haiku-4-5' })
  model!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 120 })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 40 })
  output_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  cache_write_5m_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  cache_write_1h_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  cache_read_tokens!: number;

  /** @example 0.00384 */
  charged!: number;

  /** @example 0.00384 */
  paid_from_included!: number;

  /** @example 0 */
  paid_from_purchased!: number;

  /**
   * The part of the cost that no credit covered.
   * @example 0
   */
  uncovered!: number;

  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  token_id!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 80, example: 'ERP production' })
  token_name!: string | null;

  /** The provider's id of the call. */
  @ApiProperty({ type: String, nullable: true, maxLength: 200 })
  provider_request_id!: string | null;

  /** The id of the customer's request. */
  @ApiProperty({ type: String, nullable: true, maxLength: 128 })
  request_id!: string | null;

  /** @example false */
  streamed!: boolean;
}

/** A page of charged calls, the newest first. */
export class ReceiptPageDto extends InboxPageDto {
  @ApiProperty({ type: [ReceiptDto] })
  data!: ReceiptDto[];
}

/** The sum of a group of calls, in NOK. */
export class UsageSumDto {
  /** The day, month or model, or the token's id. */
  @ApiProperty({ maxLength: 200, example: '2026-11-20' })
  key!: string;

  @ApiProperty({ type: String, nullable: true, maxLength: 80, example: null })
  token_name!: string | null;

  /** @example 240 */
  calls!: number;

  /** @example 28800 */
  input_tokens!: number;

  /** @example 9600 */
  output_tokens!: number;

  /** @example 0.9216 */
  charged!: number;

  /** @example 0 */
  uncovered!: number;
}

/** Sums of a customer's calls. */
export class UsageSummaryDto {
  @ApiProperty({ format: 'date' })
  from!: string;

  @ApiProperty({ format: 'date' })
  to!: string;

  @ApiProperty({ type: [UsageSumDto], maxItems: 200 })
  data!: UsageSumDto[];

  /** @example false */
  has_more!: boolean;

  @ApiProperty({ type: String, nullable: true, maxLength: 1500, example: null })
  next_cursor!: string | null;
}

/** Maps an entry to its DTO. */
export function toLedgerEntryDto(entry: LedgerEntry): LedgerEntryDto {
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

/** Maps a receipt to its DTO. */
export function toReceiptDto(receipt: Receipt): ReceiptDto {
  return {
    id: receipt.id,
    created_at: receipt.createdAt,
    model: receipt.model,
    input_tokens: receipt.inputTokens,
    output_tokens: receipt.outputTokens,
    cache_write_5m_tokens: receipt.cacheWrite5mTokens,
    cache_write_1h_tokens: receipt.cacheWrite1hTokens,
    cache_read_tokens: receipt.cacheReadTokens,
    charged: jsonAmount(receipt.charged),
    paid_from_included: jsonAmount(receipt.paidFromIncluded),
    paid_from_purchased: jsonAmount(receipt.paidFromPurchased),
    uncovered: jsonAmount(receipt.uncovered),
    token_id: receipt.tokenId,
    token_name: receipt.tokenName,
    provider_request_id: receipt.requestId,
    request_id: receipt.apiRequestId,
    streamed: receipt.streamed,
  };
}

/** Maps a sum to its DTO. */
export function toUsageSumDto(sum: UsageSum): UsageSumDto {
  return {
    key: sum.key,
    token_name: sum.tokenName,
    calls: sum.calls,
    input_tokens: sum.inputTokens,
    output_tokens: sum.outputTokens,
    charged: jsonAmount(sum.charged),
    uncovered: jsonAmount(sum.uncovered),
  };
}
