import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsDay, IsOneOf, ListQueryDto, PageDto } from '@platform/http';
import { INVOICE_STATUSES, type VisibleInvoiceStatus } from '@domains/invoices';
import { InvoiceDto } from '@records/invoice.dto';

/** Filters of the list of invoices. */
export class InvoiceQueryDto extends ListQueryDto {
  /** Only invoices with this status. */
  @ApiProperty({ required: false, enum: INVOICE_STATUSES })
  @IsOptional()
  @IsOneOf(INVOICE_STATUSES)
  status?: VisibleInvoiceStatus;

  /** Only invoices issued on this day or later. */
  @ApiProperty({ required: false, format: 'date', example: '2026-01-01' })
  @IsOptional()
  @IsDay()
  issue_date_from?: string;

  /** Only invoices issued on this day or earlier. */
  @ApiProperty({ required: false, format: 'date', example: '2026-12-31' })
  @IsOptional()
  @IsDay({ notBefore: 'issue_date_from' })
  issue_date_to?: string;
}

/** A page of your invoices, newest first. */
export class InvoicePageDto extends PageDto {
  /** The invoices. */
  data!: InvoiceDto[];
}
