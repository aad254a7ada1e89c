import { ApiProperty } from '@nestjs/swagger';
import { CREDIT_REQUEST_STATUSES, type CreditRequestRow, type CreditRequestStatus } from '@domains/credit-requests';

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
