import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '@platform/http';
import {
  INVOICE_STATUSES,
  type InvoiceRow,
  type InvoiceSource,
  type InvoiceType,
  toNumber,
  type VisibleInvoiceStatus,
} from '@domains/invoices';

/** An invoice or credit note. */
export class InvoiceDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** A `credit_note` takes back an invoice or a part of it; its amount is what is taken back. */
  @ApiProperty({ enum: ['invoice', 'credit_note'], example: 'invoice' })
  type!: InvoiceType;

  /**
   * The number printed on it.
   * @example '10042'
   */
  number!: string;

  /** The system that issued it; `manual` is the operator's own hand. */
  @ApiProperty({ enum: ['manual', 'stripe', 'fiken'], example: 'fiken' })
  source!: InvoiceSource;

  /** `open`: to be paid; `paid`; `void`: taken back; `uncollectible`: given up by the operator. */
  @ApiProperty({ enum: INVOICE_STATUSES, example: 'open' })
  status!: VisibleInvoiceStatus;

  /**
   * Whether it is open and past its due date.
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
   * What is still to be paid.
   * @example 1250.5
   */
  amount_due!: number;

  /** The date printed on it. */
  @ApiProperty({ format: 'date', example: '2026-11-01' })
  issue_date!: string;

  /** When it is to be paid. */
  @ApiProperty({ type: String, nullable: true, format: 'date', example: '2026-11-15' })
  due_date!: string | null;

  /** When it was paid. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  paid_at!: string | null;

  /** Norwegian payment reference, to be given when paying. */
  @ApiProperty({ type: String, nullable: true, example: '100200345' })
  kid!: string | null;

  /**
   * Where its PDF is. An address of this interface is called with your token and the scope `invoices:read`; any other
   * needs no credential.
   */
  @ApiProperty({ type: String, nullable: true, format: 'uri', example: null })
  pdf_url!: string | null;

  /** A page where it can be seen and paid. */
  @ApiProperty({ type: String, nullable: true, format: 'uri', example: null })
  hosted_url!: string | null;

  /** When it came to be in the system that issued it. */
  @ApiProperty({ format: 'date-time', example: '2026-11-01T00:00:00.000000Z' })
  created_at!: string;

  /** When something of it last changed here. */
  @ApiProperty({ format: 'date-time', example: '2026-11-01T06:15:00.000000Z' })
  updated_at!: string;
}

/** A part of your invoices, newest first. */
export class InvoicePageDto extends PageDto {
  /** The invoices. */
  data!: InvoiceDto[];
}

/** An invoice as it is sent. @param baseUrl address under which `/invoices` is reached */
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
    amount_due: toNumber(row.amount_due, row.currency),
    issue_date: row.issue_date,
    due_date: row.due_date,
    paid_at: row.paid_at,
    kid: row.kid,
    pdf_url: row.streamed ? `${baseUrl}/invoices/${row.id}/pdf` : row.pdf_url,
    hosted_url: row.hosted_url,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
