import { ApiProperty } from '@nestjs/swagger';
import { CREDIT_REQUEST_STATUSES, type CreditRequestRow, type CreditRequestStatus } from '@domains/credit-requests';
import { PageDto } from '@platform/http';

/** A request for extra AI credit. */
export class CreditRequestDto {
  /** The request's number. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 17 })
  id!: number;

  /** What you asked for, in NOK. */
  @ApiProperty({ type: 'number', minimum: 100, maximum: 50000, example: 1000 })
  amount_nok!: number;

  /** Your note to the operator. */
  @ApiProperty({ type: String, nullable: true, maxLength: 500, example: 'PO 4711' })
  note!: string | null;

  /** Your own reference. */
  @ApiProperty({ type: String, nullable: true, maxLength: 120, example: 'topup-2026-11' })
  reference!: string | null;

  /** Whether the operator has decided. The credit is there once it is `approved`. */
  @ApiProperty({ enum: CREDIT_REQUEST_STATUSES, example: 'pending' })
  status!: CreditRequestStatus;

  /** Why it was rejected. */
  @ApiProperty({ type: String, nullable: true, example: null })
  rejection_reason!: string | null;

  /** The invoice of an approved request, by its id in `GET /invoices`. */
  @ApiProperty({ type: String, nullable: true, format: 'uuid', example: null })
  invoice_id!: string | null;

  /** When the operator decided. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  decided_at!: string | null;

  /** When you asked. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;
}

/** A part of your credit requests, newest first. */
export class CreditRequestPageDto extends PageDto {
  /** The requests. */
  data!: CreditRequestDto[];
}

/** A request as it is sent. */
export function toCreditRequestDto(request: CreditRequestRow): CreditRequestDto {
  const { id, amount_nok, note, reference, status, reason, invoice_id, decided_at, created_at } = request;
  return {
    id,
    amount_nok: Number(amount_nok),
    note,
    reference,
    status,
    rejection_reason: reason,
    invoice_id,
    decided_at,
    created_at,
  };
}
