import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { CustomerDatabase, prepared } from '@app/database';
import { decodeCursor, type Page, type PageRequest, paginate } from '@app/pagination';
import { Calendar } from '../calendar';
import type { VisibleInvoiceStatus } from '../invoice-record';
import { INVOICE_COLUMNS, type InvoiceRow, type InvoiceView, toInvoiceView } from './invoice-view';

/** Which invoices of a customer are wanted; all without. */
export interface InvoiceListFilter {
  status?: VisibleInvoiceStatus;
  /** First and last issue date, `YYYY-MM-DD`, both included. */
  issuedFrom?: string;
  issuedTo?: string;
}

/** Drafts are left out here, and could not be read if they were not. */
const QUERY = (conditions: string) => `
  select ${INVOICE_COLUMNS}, created_at::text as place from invoice
  where customer_id = $1 and status <> 'draft' ${conditions} order by created_at desc, id desc limit $2`;
const AFTER = 'and (created_at, id) < ($3::timestamptz, $4::uuid)';
const FILTER = (first: number) => `
  and ($${first}::text is null or status = $${first}) and ($${first + 1}::date is null or issue_date >= $${first + 1})
  and ($${first + 2}::date is null or issue_date <= $${first + 2})`;

const FIRST = prepared('invoices.first', QUERY(''));
const NEXT = prepared('invoices.next', QUERY(AFTER));
const FILTERED_FIRST = prepared('invoices.filtered-first', QUERY(FILTER(3)));
const FILTERED_NEXT = prepared('invoices.filtered-next', QUERY(AFTER + FILTER(5)));

/** Customers' reading of their own invoices. */
@Injectable()
export class InvoiceReader {
  private readonly calendar: Calendar;

  constructor(
    private readonly database: CustomerDatabase,
    config: AppConfig,
  ) {
    this.calendar = new Calendar(config.BILLING_TIMEZONE);
  }

  /** A page of the customer's invoices, newest first. @throws ServiceError invalid_request for a bad cursor */
  async list(
    customerId: string,
    { limit, cursor }: PageRequest,
    filter: InvoiceListFilter = {},
  ): Promise<Page<InvoiceView>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
    const wanted = [filter.status, filter.issuedFrom, filter.issuedTo];
    const filtered = wanted.some((value) => value !== undefined);
    const statement = after ? (filtered ? FILTERED_NEXT : NEXT) : filtered ? FILTERED_FIRST : FIRST;
    const rows = await this.database.read<InvoiceRow & { place: string }>(statement, [
      customerId,
      limit + 1,
      ...(after ? [after.createdAt, after.id] : []),
      ...(filtered ? wanted.map((value) => value ?? null) : []),
    ]);
    const today = this.calendar.dateOf(new Date());
    return paginate(
      rows,
      limit,
      ({ place, id }) => ({ createdAt: place, id }),
      (row) => toInvoiceView(row, today),
    );
  }
}
