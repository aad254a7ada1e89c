import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { LEDGER_KINDS, type LedgerEntry, type LedgerFilter, type LedgerKind } from '@domains/ai';
import { CsvTable } from '@platform/csv';
import { IsOneOf, ListQueryDto, PageDto } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { Amount, Count, PeriodQueryDto } from './usage.dto';

/** Filters of the ledger. */
export class AiLedgerQueryDto extends IntersectionType(PeriodQueryDto, ListQueryDto) {
  /** Only entries of this kind. */
  @ApiProperty({ required: false, enum: LEDGER_KINDS })
  @IsOptional()
  @IsOneOf(LEDGER_KINDS)
  kind?: LedgerKind;
}

/** Maps the query to the domain's filter. */
export function toLedgerFilter(query: AiLedgerQueryDto): LedgerFilter {
  const { from, to, created_after: createdAfter, created_before: createdBefore, kind } = query;
  return { from, to, createdAfter, createdBefore, kind };
}

/** A change of your AI credit. Amounts in NOK, with all decimals. */
export class AiLedgerEntryDto {
  /** The number of the entry. Your entries are numbered from 1, without gaps. */
  @Count(4711, { least: 1 })
  sequence!: number;

  /** When the entry was booked. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;

  /**
   * `monthly_included`: included credit was added; `usage`: a message was charged; `invoice_topup`: you bought credit;
   * `manual_adjustment` and `refund`: the operator corrected your credit; `expiry`: included credit expired.
   */
  @ApiProperty({ enum: LEDGER_KINDS, example: 'usage' })
  kind!: LedgerKind;

  /** The kind of credit that changed. A message that both kinds paid has an entry for each kind. */
  @ApiProperty({ enum: ['included', 'purchased'] })
  bucket!: string;

  /** The change of the credit; negative if the credit was reduced. */
  @Amount(-0.002464, { negative: true })
  amount!: number;

  /** The credit of the bucket after the entry. */
  @Amount(412.497536)
  balance_after!: number;

  /** The month that the entry belongs to. */
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', maxLength: 7, example: '2026-11' })
  month!: string;

  /** The message that caused the entry, as in `GET /ai/usage`. */
  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  usage_id!: string | null;

  /** The credit request that caused the entry. */
  @ApiProperty({ type: 'integer', format: 'int32', nullable: true, minimum: 1, example: null })
  credit_request_id!: number | null;

  /** The invoice for the purchased credit, as in `GET /invoices`. */
  @ApiProperty({ type: String, nullable: true, format: 'uuid', example: null })
  invoice_id!: string | null;

  /** The operator's reason for the entry. For purchased credit: your own reference or note. */
  @ApiProperty({ type: String, nullable: true, example: null })
  note!: string | null;
}

/** A page of entries, the latest first. */
export class AiLedgerPageDto extends PageDto {
  /** The entries. */
  data!: AiLedgerEntryDto[];
}

/** The entries as CSV. */
export const AI_LEDGER_TABLE = new CsvTable([
  ...['sequence', 'created_at', 'kind', 'bucket', 'amount', 'balance_after', 'month'],
  ...['usage_id', 'credit_request_id', 'invoice_id', 'note'],
]);

/** Maps an entry to its DTO. */
export function toAiLedgerEntryDto(entry: LedgerEntry): AiLedgerEntryDto {
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
  };
}
