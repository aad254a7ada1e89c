import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '@app/http';
import { INVOICE_STATUSES, type VisibleInvoiceStatus } from '@app/invoices';

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Which invoices are asked for. */
export class InvoiceQueryDto extends PageQueryDto {
  /** Only invoices with this status. */
  @ApiProperty({ required: false, enum: INVOICE_STATUSES })
  @IsOptional()
  @IsIn(INVOICE_STATUSES, { message: `status must be one of ${INVOICE_STATUSES.join(', ')}` })
  status?: VisibleInvoiceStatus;

  /** Only invoices issued on this day or later. */
  @ApiProperty({ required: false, format: 'date', example: '2026-01-01' })
  @IsOptional()
  @Matches(DATE, { message: 'issue_date_from must be a date as YYYY-MM-DD' })
  @IsISO8601({ strict: true }, { message: 'issue_date_from must be a date of the calendar' })
  issue_date_from?: string;

  /** Only invoices issued on this day or earlier. */
  @ApiProperty({ required: false, format: 'date', example: '2026-12-31' })
  @IsOptional()
  @Matches(DATE, { message: 'issue_date_to must be a date as YYYY-MM-DD' })
  @IsISO8601({ strict: true }, { message: 'issue_date_to must be a date of the calendar' })
  issue_date_to?: string;
}
