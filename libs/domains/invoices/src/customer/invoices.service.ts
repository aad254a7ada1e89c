import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerDatabaseService, prepared } from '@platform/database';
import { decodeCursor, listMark, type Page, type PageRequest, paginate } from '@platform/pagination';
import type { VisibleInvoiceStatus } from '../invoice-record';
import { invoiceColumns, type InvoiceRow } from './invoice-view';

/** Filters of the list; undefined fields do not filter. */
export interface InvoiceListFilter {
  status?: VisibleInvoiceStatus;
  /** First and last issue date, `YYYY-MM-DD`, both included. */
  issuedFrom?: string;
  issuedTo?: string;
}

/** Drafts are excluded here; the role could not read them in any case. */
const QUERY = (conditions: string) => `select ${invoiceColumns('$3')} from invoice
  where customer_id = $1 and status <> 'draft' ${conditions} order by created_at desc, id desc limit $2`;
const AFTER = 'and (created_at, id) < ($4::timestamptz, $5::uuid)';
const FILTER = (status: string, from: string, to: string) => `and (${status}::text is null or status = ${status})
  and (${from}::date is null or issue_date >= ${from}) and (${to}::date is null or issue_date <= ${to})`;

const FIRST = prepared('invoices.first', QUERY(''));
const NEXT = prepared('invoices.next', QUERY(AFTER));
const FILTERED_FIRST = prepared('invoices.filtered-first', QUERY(FILTER('$4', '$5', '$6')));
const FILTERED_NEXT = prepared('invoices.filtered-next', QUERY(`${AFTER} ${FILTER('$6', '$7', '$8')}`));

/** The customer's own invoices. */
@Injectable()
export class InvoicesService {
  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly config: AppConfig,
  ) {}

  /** A page of the customer's invoices, newest first. @throws ServiceError invalid_request for a bad cursor */
  async list({ limit, cursor }: PageRequest, filter: InvoiceListFilter = {}): Promise<Page<InvoiceRow>> {
    const wanted = [filter.status, filter.issuedFrom, filter.issuedTo];
    const list = listMark('invoices', wanted);
    const after = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid', list);
    const filtered = wanted.some((value) => value !== undefined);
    const statement = filtered ? (after ? FILTERED_NEXT : FILTERED_FIRST) : after ? NEXT : FIRST;
    const values: (string | number | null)[] = [limit + 1, this.config.BILLING_TIMEZONE];
    if (after) values.push(after.createdAt, after.id);
    if (filtered) values.push(...wanted.map((value) => value ?? null));
    const rows = await this.database.read<InvoiceRow & Record<string, unknown>>(statement, values);
    return paginate(
      rows,
      limit,
      list,
      ({ created_at, id }) => ({ createdAt: created_at, id }),
      (row): InvoiceRow => row,
    );
  }
}
