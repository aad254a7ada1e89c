import { ApiProperty } from '@nestjs/swagger';
import {
  INVOICE_STATUSES,
  type InvoiceRow,
  type InvoiceSource,
  type InvoiceType,
  type VisibleInvoiceStatus,
} from '@domains/invoices';
import { toNumber } from '@platform/money';

/** An invoice or credit note. */
export class InvoiceDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** A `credit_note` takes back an invoice, in whole or in part. Its amount is the amount taken back. */
  @ApiProperty({ enum: ['invoice', 'credit_note'], example: 'invoice' })
  type!: InvoiceType;

  /**
   * The number printed on the invoice.
   * @example '10042'
   */
  number!: string;

  /** The billing system that issued the invoice; `manual` if the operator entered the invoice by hand, or approved a credit request. */
  @ApiProperty({ enum: ['manual', 'stripe', 'fiken'], example: 'fiken' })
  source!: InvoiceSource;

  /** `open`: to be paid; `paid`; `void`: cancelled; `uncollectible`: written off by the operator. */
  @ApiProperty({ enum: INVOICE_STATUSES, example: 'open' })
  status!: VisibleInvoiceStatus;

  /**
   * Whether the invoice is open and past its due date.
   * @example false
   */
  overdue!: boolean;

  /**
   * Currency of the amounts, ISO 4217.
   * @example 'NOK'
   */
  currency!: string;

  /**
   * The total.
   * @example 1250.5
   */
  amount!: number;

  /**
   * The unpaid amount.
   * @example 1250.5
   */
  amount_due!: number;

  /** The date printed on the invoice. */
  @ApiProperty({ format: 'date', example: '2026-11-01' })
  issue_date!: string;

  /** When the invoice is due. */
  @ApiProperty({ type: String, nullable: true, format: 'date', example: '2026-11-15' })
  due_date!: string | null;

  /** When the invoice was paid. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  paid_at!: string | null;

  /** Norwegian payment reference (KID), to be given with the payment. */
  @ApiProperty({ type: String, nullable: true, example: '100200345' })
  kid!: string | null;

  /**
   * The address of the PDF. An address of this API needs your token with the scope `invoices:read`; any other address
   * needs no credential.
   */
  @ApiProperty({ type: String, nullable: true, format: 'uri', example: null })
  pdf_url!: string | null;

  /**
   * A page where the invoice can be viewed and paid. Some billing systems let the address expire, such as weeks after the due date;
   * an address of this API in `pdf_url` does not.
   */
  @ApiProperty({ type: String, nullable: true, format: 'uri', example: null })
  hosted_url!: string | null;

  /**
   * Its place in the list: when it was issued in the billing system, or the beginning of that day if no more is known. It may come into
   * this API later.
   */
  @ApiProperty({ format: 'date-time', example: '2026-11-01T00:00:00.000000Z' })
  created_at!: string;

  /** When the invoice last changed in this API. */
  @ApiProperty({ format: 'date-time', example: '2026-11-01T06:15:00.000000Z' })
  updated_at!: string;
}

/** Maps an invoice to its DTO. @param baseUrl address under which `/invoices` is reached */
export function toInvoiceDto(row: InvoiceRow, baseUrl: string): InvoiceDto {
  return {
    id: row.id,
    type: row.type,
    number: row.number,
    source: row.source,
    status: row.status,
    overdue: row.overdue,
    currency: row.currency,
    amount: toNumber(row.amount, row.currency),
    amount_due: toNumber(row.amountDue, row.currency),
    issue_date: row.issueDate,
    due_date: row.dueDate,
    paid_at: row.paidAt,
    kid: row.kid,
    pdf_url: row.streamed ? `${baseUrl}/invoices/${row.id}/pdf` : row.pdfUrl,
    hosted_url: row.hostedUrl,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
