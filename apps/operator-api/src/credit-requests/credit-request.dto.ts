import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  type ApprovedCreditRequest,
  CREDIT_REQUEST_STATUSES,
  type CreditRequestStatus,
  REJECTION_REASON_MAX,
} from '@domains/credit-requests';
import { INVOICE_NUMBER_MAX } from '@domains/invoices';
import { InboxPageDto, InboxQueryDto, IsOneOf, IsSearch, IsText, IsId, SortBy } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the inbox of credit requests. */
export class CreditRequestQueryDto extends InboxQueryDto {
  /** Only requests of this customer. */
  @IsId()
  customer_id?: string;

  /** Only requests with this status. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsOneOf(CREDIT_REQUEST_STATUSES)
  status?: CreditRequestStatus;

  /** The number of a request, or a part of its reference, its note, or its customer's name or number. */
  @IsSearch()
  search?: string;

  @SortBy(['created_at', 'amount_nok'], '-created_at')
  sort?: string;
}

/** An approval. */
export class ApproveCreditRequestDto {
  /**
   * The number printed on the invoice. If left out, that of the first approval, or else `AI-<id>`. Another one than the invoice of an
   * approved request has is refused: you would write a second invoice.
   */
  @IsOptional()
  @IsText({ min: 1, max: INVOICE_NUMBER_MAX })
  @ApiProperty({ type: String, required: false, nullable: true, example: '2027-0042' })
  invoice_number?: string | null;
}

/** A rejection. */
export class RejectCreditRequestDto {
  /**
   * Why; the customer can read it.
   * @example 'An invoice is overdue'
   */
  @IsText({ min: 1, max: REJECTION_REASON_MAX })
  reason!: string;
}

/** A customer's request for extra AI credit. */
export class CreditRequestDto extends OfCustomerDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 17 })
  id!: number;

  /** @example 5000 */
  amount_nok!: number;

  @ApiProperty({ enum: CREDIT_REQUEST_STATUSES, example: 'pending' })
  status!: CreditRequestStatus;

  /** The customer's own id of it. */
  @ApiProperty({ type: String, nullable: true, maxLength: 255, example: 'PO-1047' })
  reference!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 5000, example: 'For the autumn campaign' })
  note!: string | null;

  /** Why it was rejected. */
  @ApiProperty({ type: String, nullable: true, maxLength: 5000, example: null })
  reason!: string | null;

  /** Who has decided, as the audit log has it. */
  @ApiProperty({ type: String, nullable: true, maxLength: 100, example: null })
  decided_by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  decided_at!: string | null;

  /** Who has approved it first, if it waits for a second person. */
  @ApiProperty({ type: String, nullable: true, maxLength: 100, example: null })
  first_approved_by!: string | null;

  /** The number of the invoice, if that first approval names one. */
  @ApiProperty({ type: String, nullable: true, maxLength: INVOICE_NUMBER_MAX, example: null })
  first_invoice_number!: string | null;

  /** The invoice of the approved amount. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  invoice_id!: string | null;

  /** The number printed on that invoice. */
  @ApiProperty({ type: String, nullable: true, maxLength: INVOICE_NUMBER_MAX, example: null })
  invoice_number!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of credit requests. */
export class CreditRequestPageDto extends InboxPageDto {
  @ApiProperty({ type: [CreditRequestDto] })
  data!: CreditRequestDto[];
}

/** Maps a request to its DTO. */
export function toCreditRequestDto(request: OfCustomer<ApprovedCreditRequest>): CreditRequestDto {
  return {
    id: request.id,
    ...toOfCustomerDto(request.customer),
    amount_nok: jsonAmount(request.amountNok),
    status: request.status,
    reference: request.reference,
    note: request.note,
    reason: request.reason,
    decided_by: request.decidedBy,
    first_approved_by: request.firstApproval?.approvedBy ?? null,
    first_invoice_number: request.firstApproval?.invoiceNumber ?? null,
    decided_at: request.decidedAt && timeText(request.decidedAt),
    invoice_id: request.invoiceId,
    invoice_number: request.invoiceNumber ?? null,
    created_at: timeText(request.createdAt),
  };
}
