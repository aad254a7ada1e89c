import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import { AppConfig } from '@platform/config';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  type KeysetList,
} from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import { Invoice } from '../entities/invoice.entity';
import type { VisibleInvoiceStatus } from '../invoice-record';
import { INVOICE, type InvoiceRow } from './invoice-view';

/** Filters of the list; undefined fields do not filter. */
export interface InvoiceListFilter {
  status?: VisibleInvoiceStatus;
  /** First and last issue date, `YYYY-MM-DD`, both included. */
  issuedFrom?: string;
  issuedTo?: string;
}

/** The customer's own invoices. */
@Injectable()
export class InvoicesService {
  private readonly invoices: KeysetList<InvoiceRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
    { BILLING_TIMEZONE }: AppConfig,
  ) {
    this.invoices = reads.list(Invoice, {
      name: 'invoices',
      select: INVOICE,
      extra: (invoice) => ({
        overdue: { sql: isOverdue(invoice, BILLING_TIMEZONE), decode: decoders.boolean },
        streamed: {
          sql: `${invoice.column('pdfReference')} is not null and ${invoice.column('pdfUrl')} is null`,
          decode: decoders.boolean,
        },
      }),
      // Drafts are excluded here; the role could not read them in any case.
      where: (invoice) => `${invoice.column('status')} <> 'draft'`,
      filters: [
        { property: 'status', operator: '=' },
        { property: 'issueDate', operator: '>=' },
        { property: 'issueDate', operator: '<=' },
      ],
    }) as KeysetList<InvoiceRow>;
  }

  /** A page of the customer's invoices, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest, { status, issuedFrom, issuedTo }: InvoiceListFilter = {}): Promise<Page<InvoiceRow>> {
    return this.database.page(this.invoices, page, [status, issuedFrom, issuedTo]);
  }
}

/** Open, and past its due date in the billing time zone. */
function isOverdue(invoice: EntityTable<Invoice>, timeZone: string): string {
  const dueDate = invoice.column('dueDate');
  return `${invoice.column('status')} = 'open' and ${invoice.column('type')} = 'invoice' and ${dueDate} is not null
    and ${dueDate} < (app.now() at time zone ${escapeLiteral(timeZone)})::date`;
}
