import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  INVOICE_MAX_NOK,
  INVOICE_NUMBER_MAX,
  INVOICE_STATUSES,
  type InvoiceDetails,
  type InvoiceSource,
  type InvoiceStatus,
  type InvoiceSummary,
  KID_MAX,
  type VisibleInvoiceStatus,
} from '@domains/invoices';
import {
  FieldRule,
  InboxPageDto,
  InboxQueryDto,
  IsAmount,
  IsDay,
  IsFlag,
  IsOneOf,
  IsSearch,
  IsText,
  IsId,
  SortBy,
} from '@platform/http';
import { timeText } from '@platform/time';
import { URL_MAX } from '@platform/upstream';
import type { OfCustomer } from '../customers/customer-names.service';
import { type Fields, OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

const SOURCES = ['manual', 'stripe', 'fiken'] as const;
const STATUSES = ['draft', ...INVOICE_STATUSES] as const;

/** A web address. */
function IsWebAddress(): PropertyDecorator {
  return FieldRule((value) => {
    const url = typeof value === 'string' && value.length <= URL_MAX ? URL.parse(value) : null;
    return url?.protocol === 'https:' || url?.protocol === 'http:' ? undefined : 'must be a web address';
  });
}

/** Filters of the list of invoices. */
export class InvoiceQueryDto extends InboxQueryDto {
  /** Only invoices of this customer. */
  @IsId()
  customer_id?: string;

  /** Only invoices with this status. */
  @ApiProperty({ required: false, enum: STATUSES })
  @IsOptional()
  @IsOneOf(STATUSES)
  status?: InvoiceStatus;

  /** Only invoices from this source; `manual`: your own. */
  @ApiProperty({ required: false, enum: SOURCES })
  @IsOptional()
  @IsOneOf(SOURCES)
  source?: InvoiceSource;

  /** Only invoices that are due before this day. */
  @IsOptional()
  @IsDay()
  @ApiProperty({ required: false, format: 'date' })
  due_before?: string;

  /** Only invoices that are overdue today in the billing time zone; no credit notes. */
  @IsFlag()
  overdue?: boolean;

  /** A part of the number, or of the customer's name or number. */
  @IsSearch()
  search?: string;

  @SortBy(['created_at', 'issue_date', 'due_date', 'amount'], '-created_at')
  sort?: string;
}

/** An invoice that the operator issued. */
export class AddInvoiceDto {
  /** The customer. */
  @IsId({ required: true })
  customer_id!: string;

  /**
   * The number printed on it.
   * @example '2027-0042'
   */
  @IsText({ min: 1, max: INVOICE_NUMBER_MAX })
  number!: string;

  /**
   * The total.
   * @example 1250.5
   */
  @IsAmount({ min: 0.01, max: INVOICE_MAX_NOK })
  amount_nok!: number;

  /** When it was issued. */
  @IsDay()
  @ApiProperty({ format: 'date' })
  issue_date!: string;

  /** When it is to be paid. */
  @IsDay({ notBefore: 'issue_date' })
  @ApiProperty({ format: 'date', example: '2026-12-04' })
  due_date!: string;

  /** Payment reference. */
  @IsOptional()
  @IsText({ min: 1, max: KID_MAX })
  @ApiProperty({ type: String, required: false, nullable: true })
  kid?: string | null;

  /** Link to its PDF that needs no credential. */
  @IsOptional()
  @IsWebAddress()
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: URL_MAX })
  pdf_url?: string | null;

  /** Page where it can be seen and paid. */
  @IsOptional()
  @IsWebAddress()
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: URL_MAX })
  hosted_url?: string | null;
}

/** A status of an invoice. */
export class SetInvoiceStatusDto {
  @ApiProperty({ enum: INVOICE_STATUSES, example: 'paid' })
  @IsOneOf(INVOICE_STATUSES)
  status!: VisibleInvoiceStatus;

  /** The status that it has now, so that none is replaced unseen. */
  @IsOptional()
  @ApiProperty({ enum: INVOICE_STATUSES, required: false, nullable: true })
  @IsOneOf(INVOICE_STATUSES)
  replaces?: VisibleInvoiceStatus | null;
}

/** An invoice or a credit note. */
export class InvoiceDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: SOURCES, example: 'manual' })
  source!: InvoiceSource;

  @ApiProperty({ enum: ['invoice', 'credit_note'], example: 'invoice' })
  type!: string;

  /** @example '2027-0042' */
  @ApiProperty({ maxLength: 200 })
  number!: string;

  @ApiProperty({ enum: STATUSES, example: 'open' })
  status!: InvoiceStatus;

  /** ISO 4217. */
  @ApiProperty({ maxLength: 3, example: 'NOK' })
  currency!: string;

  /** @example 1250.5 */
  amount!: number;

  /** @example 1250.5 */
  amount_due!: number;

  @ApiProperty({ format: 'date' })
  issue_date!: string;

  @ApiProperty({ type: String, format: 'date', nullable: true })
  due_date!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  paid_at!: string | null;
}

/** An invoice with all its details. */
export class InvoiceDetailsDto extends InvoiceDto {
  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: null })
  kid!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: URL_MAX, example: null })
  pdf_url!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: URL_MAX, example: null })
  hosted_url!: string | null;

  /** Its id in the source. */
  @ApiProperty({ maxLength: 500 })
  source_id!: string;

  /** When a sync last found it in its source. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  synced_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of invoices, drafts included. */
export class InvoicePageDto extends InboxPageDto {
  @ApiProperty({ type: [InvoiceDto] })
  data!: InvoiceDto[];
}

/** Maps an invoice of a list to its DTO. */
export function toInvoiceDto(invoice: OfCustomer<InvoiceSummary>): Fields<InvoiceDto> {
  return {
    id: invoice.id,
    ...toOfCustomerDto(invoice.customer),
    source: invoice.source,
    type: invoice.type,
    number: invoice.number,
    status: invoice.status,
    currency: invoice.currency,
    amount: Number(invoice.amount),
    amount_due: Number(invoice.amountDue),
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    paid_at: invoice.paidAt && timeText(invoice.paidAt),
  };
}

/** Maps an invoice to its DTO. */
export function toInvoiceDetailsDto(invoice: OfCustomer<InvoiceDetails>): InvoiceDetailsDto {
  return {
    ...toInvoiceDto(invoice),
    kid: invoice.kid,
    pdf_url: invoice.pdfUrl,
    hosted_url: invoice.hostedUrl,
    source_id: invoice.sourceId,
    synced_at: invoice.syncedAt && timeText(invoice.syncedAt),
    created_at: timeText(invoice.createdAt),
  };
}
