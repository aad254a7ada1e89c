import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateIf } from 'class-validator';
import { CREDIT_REQUEST_STATUSES, type CreditRequestRow, type CreditRequestStatus } from '@domains/credit-requests';
import { IsAmount, IsOneOf, IsText, ListQueryDto, PageDto } from '@platform/http';

/** Filters of the list of credit requests. */
export class CreditRequestQueryDto extends ListQueryDto {
  /** Only requests with this status. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsOneOf(CREDIT_REQUEST_STATUSES)
  status?: CreditRequestStatus;
}

/** A request for purchased AI credit. */
export class CreateCreditRequestDto {
  /** The amount, in NOK, with two decimals at most. The operator invoices it. */
  @ApiProperty({ type: 'number', minimum: 100, maximum: 50000, example: 1000 })
  @IsAmount({ min: 100, max: 50000 })
  amount_nok!: number;

  /** A note for the operator, such as a purchase order number. */
  @ApiProperty({ required: false, example: 'PO 4711' })
  @ValidateIf(({ note }: CreateCreditRequestDto) => note !== undefined)
  @IsText({ max: 500 })
  note?: string;

  /**
   * Your own id of the request, which makes it idempotent: a second request with the same reference returns the first
   * request.
   */
  @ApiProperty({ required: false, example: 'topup-2026-11' })
  @ValidateIf(({ reference }: CreateCreditRequestDto) => reference !== undefined)
  @IsText({ min: 1, max: 120 })
  reference?: string;
}

/** A request for purchased AI credit. */
export class CreditRequestDto {
  /** The request's number. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 17 })
  id!: number;

  /** The amount, in NOK. */
  @ApiProperty({ type: 'number', minimum: 100, maximum: 50000, example: 1000 })
  amount_nok!: number;

  /** Your note to the operator. */
  @ApiProperty({ type: String, nullable: true, maxLength: 500, example: 'PO 4711' })
  note!: string | null;

  /** Your own reference. */
  @ApiProperty({ type: String, nullable: true, maxLength: 120, example: 'topup-2026-11' })
  reference!: string | null;

  /** Status of the request. The credit is added when it is `approved`. */
  @ApiProperty({ enum: CREDIT_REQUEST_STATUSES, example: 'pending' })
  status!: CreditRequestStatus;

  /** Why the operator rejected the request. */
  @ApiProperty({ type: String, nullable: true, example: null })
  rejection_reason!: string | null;

  /** The id of the invoice of an approved request, as in `GET /invoices`. */
  @ApiProperty({ type: String, nullable: true, format: 'uuid', example: null })
  invoice_id!: string | null;

  /** When the operator decided. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  decided_at!: string | null;

  /** When you sent the request. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;
}

/** A page of your credit requests, newest first. */
export class CreditRequestPageDto extends PageDto {
  /** The requests. */
  data!: CreditRequestDto[];
}

/** Maps a credit request to its DTO. */
export function toCreditRequestDto(request: CreditRequestRow): CreditRequestDto {
  const { id, note, reference, status } = request;
  return {
    id,
    amount_nok: Number(request.amountNok),
    note,
    reference,
    status,
    rejection_reason: request.reason,
    invoice_id: request.invoiceId,
    decided_at: request.decidedAt,
    created_at: request.createdAt,
  };
}
