import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  type KeysetList,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { Invoice } from '../entities/invoice.entity';
import type { VisibleInvoiceStatus } from '../invoice-values';

/** Properties that the customer sees. */
const INVOICE = [
  'id',
  'type',
  'number',
  'source',
  'status',
  'currency',
  'amount',
  'amountDue',
  'issueDate',
  'dueDate',
  'paidAt',
  'kid',
  'pdfUrl',
  'hostedUrl',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Invoice)[];

/** The fields of an invoice that the customer sees; amounts in minor units. */
export type InvoiceRow = Omit<ReadRow<Invoice, (typeof INVOICE)[number]>, 'status'> & {
  status: VisibleInvoiceStatus;
  /** Open, and past its due date. */
  overdue: boolean;
  /** Whether the API serves the PDF. */
  streamed: boolean;
};

/** The condition of the invoices that customers see: not drafts. The API's role could not read those in any case. */
export const isShown = (invoice: EntityTable<Invoice>) => `${invoice.column('status')} <> 'draft'`;

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
  private readonly byId: ReadStatement<InvoiceRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
    { BILLING_TIMEZONE }: AppConfig,
  ) {
    const shown = {
      select: INVOICE,
      extra: (invoice: EntityTable<Invoice>) => ({
        overdue: { sql: isOverdue(invoice, BILLING_TIMEZONE), decode: decoders.boolean },
        streamed: {
          sql: `${invoice.column('pdfReference')} is not null and ${invoice.column('pdfUrl')} is null`,
          decode: decoders.boolean,
        },
      }),
      where: isShown,
    };
    this.byId = reads.find(Invoice, {
      ...shown,
      name: 'invoices.find',
      by: ['customerId', 'id'],
    });
    this.invoices = reads.list(Invoice, {
      ...shown,
      name: 'invoices',
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

  /** One of the customer's invoices. @throws ServiceError not_found */
  async find(id: string): Promise<InvoiceRow> {
    const [invoice] = await this.database.read(this.byId, [id]);
    if (!invoice) throw new ServiceError('not_found', 'You have no invoice with this id');
    return invoice;
  }
}

/** Whether it is overdue today in the billing time zone. */
function isOverdue(invoice: EntityTable<Invoice>, timeZone: string): string {
  const columns = (['status', 'type', 'dueDate'] as const).map((property) => invoice.column(property));
  return `app.invoice_is_overdue(${columns.join(', ')}, (app.now() at time zone ${escapeLiteral(timeZone)})::date)`;
}
