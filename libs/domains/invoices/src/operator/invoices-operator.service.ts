import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { lockCustomer, NUMBER_AND_NAME } from '@domains/customers';
import { DataSource, type EntityManager, LessThan } from 'typeorm';
import { AuditService } from '@platform/audit';
import { databaseNow, isUniqueViolation, OperatorList, type TextSearch } from '@platform/database';
import { requireText, ServiceError } from '@platform/errors';
import {
  type InboxPage,
  type InboxRequest,
  type Listing,
  type ListingRequest,
  MOST_COUNTED,
} from '@platform/pagination';
import { InvoiceNumber } from '../entities/invoice-number.entity';
import { Invoice } from '../entities/invoice.entity';
import {
  asPrinted,
  INVOICE_MAX_NOK,
  INVOICE_NUMBER_MAX,
  type InvoiceSource,
  type InvoiceStatus,
  KID_MAX,
  type VisibleInvoiceStatus,
} from '../invoice-values';
import { recordInvoiceEvents } from '../invoice-events';
import { BillingCalendar } from '@platform/time';
import { toDecimal } from '@platform/money';
import { URL_MAX } from '@platform/upstream';

/** An invoice that the operator issued outside of any billing source. */
export interface ManualInvoice {
  customerId: string;
  /** The number printed on the invoice. */
  number: string;
  /** Unique id of the invoice, such as `credit-request:17`; default: its number. */
  sourceId?: string;
  /** In the currency's minor unit (øre). */
  amount: bigint;
  /** ISO 4217; default NOK. */
  currency?: string;
  /** `YYYY-MM-DD`. */
  issueDate: string;
  /** `YYYY-MM-DD`. */
  dueDate?: string;
  kid?: string;
  /** Links that need no credential. */
  pdfUrl?: string;
  hostedUrl?: string;
}

/** Filters of the list. */
export interface InvoiceFilter {
  customerId?: string;
  source?: InvoiceSource;
  status?: InvoiceStatus;
  /** `YYYY-MM-DD`. */
  dueBefore?: string;
  /** Only those that are overdue today in the billing time zone. */
  overdue?: boolean;
  /** Only those with this text in their number, or in the customer's name or number. */
  search?: string;
}

/** The fields of an invoice that the operator sees: amounts as decimals, drafts included. */
export type InvoiceSummary = Pick<
  Invoice,
  | 'id'
  | 'customerId'
  | 'source'
  | 'type'
  | 'number'
  | 'status'
  | 'currency'
  | 'amount'
  | 'amountDue'
  | 'issueDate'
  | 'dueDate'
  | 'paidAt'
>;

/** An invoice with all its details: amounts as decimals, too. */
export type InvoiceDetails = InvoiceSummary & Omit<Invoice, keyof InvoiceSummary>;

const SEARCH: TextSearch = {
  key: 't.customerId, t.id',
  matches: [
    `select i.customer_id, i.id from invoice i where i.number ilike :part`,
    `select i.customer_id, i.id from customer c join invoice i on i.customer_id = c.id where ${NUMBER_AND_NAME} ilike :part`,
  ],
  // The customer as a value: PostgreSQL would read all that have the text for a condition with `exists`.
  contains: `strpos(lower(t.number), lower(:wanted)) > 0
    or strpos(lower((select ${NUMBER_AND_NAME} from customer c where c.id = t.customer_id)), lower(:wanted)) > 0`,
};

const OVERDUE = `app.invoice_is_overdue(t.status, t.type, t.dueDate, (app.now() at time zone :timeZone)::date)`;

/** Manages invoices for the operator. Every change is audited. */
@Injectable()
export class InvoicesOperatorService {
  private readonly invoices: OperatorList<Invoice, InvoiceFilter>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly calendar: BillingCalendar,
  ) {
    this.invoices = new OperatorList(dataSource, Invoice, {
      name: 'invoices',
      filters: {
        customerId: 'customerId',
        source: 'source',
        status: 'status',
        dueBefore: (day) => ({ dueDate: LessThan(day) }),
        overdue: () => [OVERDUE, { timeZone: calendar.timeZone }],
        search: { textSearch: () => SEARCH },
      },
      orders: {
        created_at: { by: 't.createdAt', kind: 'time' },
        issue_date: { by: 't.issueDate', kind: 'day' },
        due_date: { by: `coalesce(t.dueDate, date '9999-12-31')`, kind: 'day' },
        amount: { by: 't.amount', kind: 'number' },
      },
    });
  }

  /** Adds an open invoice. @throws ServiceError not_found for an unknown customer; see {@link issue} */
  async add(actor: string, invoice: ManualInvoice): Promise<InvoiceSummary> {
    const { customerId, amount } = invoice;
    if (amount <= 0n) throw new ServiceError('invalid_request', 'The amount of an invoice is more than 0');
    if (amount > BigInt(INVOICE_MAX_NOK) * 100n)
      throw new ServiceError('invalid_request', `The amount of an invoice is ${INVOICE_MAX_NOK} NOK at most`);
    return this.dataSource.transaction(async (manager) => {
      await lockCustomer(manager, customerId);
      const id = await this.issue(manager, invoice);
      const added = await manager.findOneByOrFail(Invoice, { customerId, id });
      const total = toDecimal(BigInt(added.amount), added.currency);
      const metadata = { invoice_id: id, number: added.number, amount: total, currency: added.currency };
      await this.audit.record(manager, { customerId, actor, action: 'invoice.add', metadata });
      return summarize(added);
    });
  }

  /**
   * Adds an open invoice within the transaction of its cause, which the caller audits.
   * @returns the invoice's id
   * @throws ServiceError invalid_request for a text that is too long, or a due date before the issue date
   * @throws DuplicateInvoiceError if an invoice of any customer has this number; the transaction is aborted then
   */
  async issue(manager: EntityManager, given: ManualInvoice): Promise<string> {
    const invoice = { ...given, number: asPrinted(given.number), kid: given.kid && asPrinted(given.kid) };
    assertDetails(invoice);
    const { amount, sourceId = invoice.number, currency = 'NOK', ...rest } = invoice;
    const id = randomUUID();
    const money = { amount: amount.toString(), amountDue: amount.toString(), currency };
    // One of a former day has its place among those of that day, as those of the billing systems have.
    const isOfToday = invoice.issueDate >= this.calendar.dateOf(await databaseNow(manager));
    const placed = isOfToday ? {} : { createdAt: this.calendar.startOf(invoice.issueDate) };
    try {
      await manager.insert(InvoiceNumber, { source: 'manual', type: 'invoice', number: invoice.number, sourceId });
      await manager.insert(Invoice, { ...rest, ...money, ...placed, id, source: 'manual', sourceId, status: 'open' });
    } catch (error) {
      throw isUniqueViolation(error) ? new DuplicateInvoiceError(invoice.number) : error;
    }
    await recordInvoiceEvents(manager, invoice.customerId, 'invoice.created', [id], this.calendar.timeZone);
    return id;
  }

  /**
   * Sets the status of a manual invoice, and its amount due accordingly. @param former the status that it has, so that none is
   * replaced unseen
   * @throws ServiceError not_found; invalid_request for an invoice of a billing source, which the next sync would reset, or of an
   * erased customer, or if the invoice has another status by now
   */
  setStatus(
    actor: string,
    id: string,
    status: VisibleInvoiceStatus,
    former?: VisibleInvoiceStatus,
  ): Promise<InvoiceSummary> {
    return this.dataSource.transaction(async (manager) => {
      const { customerId, source } = await findInvoice(manager, id);
      if (source !== 'manual')
        throw new ServiceError('invalid_request', `The invoice is kept in ${source}: change it there`);
      await lockCustomer(manager, customerId);
      // Another person may set it at the same time: read behind the lock, it is as that person has left it.
      const invoice = await manager.findOneByOrFail(Invoice, { customerId, id });
      const { amount, status: before } = invoice;
      if (former !== undefined && before !== former)
        throw new ServiceError('invalid_request', `Meanwhile the invoice was set to ${before}: read it again`);
      const owed = status === 'open' || status === 'uncollectible';
      const paidAt = status === 'paid' ? (invoice.paidAt ?? (() => 'app.now()')) : null;
      // The same status again is no change that the customer sees.
      if (status !== before)
        await manager.update(
          Invoice,
          { customerId, id },
          { status, amountDue: owed ? amount : '0', paidAt, updatedAt: () => 'app.now()' },
        );
      const metadata = { invoice_id: id, from: before, to: status };
      await this.audit.record(manager, { customerId, actor, action: 'invoice.set-status', metadata });
      if (status !== before)
        await recordInvoiceEvents(manager, customerId, 'invoice.updated', [id], this.calendar.timeZone);
      return summarize(await manager.findOneByOrFail(Invoice, { customerId, id }));
    });
  }

  /** One invoice, with all its details. @throws ServiceError not_found */
  async show(id: string): Promise<InvoiceDetails> {
    const invoice = await findInvoice(this.dataSource.manager, id);
    return Object.assign(invoice, summarize(invoice));
  }

  /** The numbers of invoices, by their ids. */
  async numbersOf(
    manager: EntityManager,
    invoices: readonly { customerId: string; invoiceId: string | null }[],
  ): Promise<Map<string | null, string>> {
    const where = invoices.flatMap(({ customerId, invoiceId: id }) => (id === null ? [] : [{ customerId, id }]));
    if (where.length === 0) return new Map();
    const found = await manager.find(Invoice, { select: { customerId: true, id: true, number: true }, where });
    return new Map(found.map(({ id, number }) => [id, number]));
  }

  /** Invoices of one customer or of all, drafts included, newest first. */
  async list(filter: InvoiceFilter, listing: ListingRequest): Promise<Listing<InvoiceSummary>> {
    return (await this.invoices.list(filter, listing)).map(summarize);
  }

  /** The invoices that are overdue today in the billing time zone, counted to {@link MOST_COUNTED}; in NOK their unpaid sum, as a decimal text. */
  async overdue(): Promise<{ count: number; amountNok: string }> {
    const [{ count, sum }] = await this.dataSource.query<[{ count: number; sum: string }]>(
      `select count(*)::int as count, coalesce(sum(amount_due) filter (where currency = 'NOK'), 0)::text as sum
       from (select amount_due, currency from invoice
             where app.invoice_is_overdue(status, type, due_date, (app.now() at time zone $1)::date) limit ${MOST_COUNTED}) overdue`,
      [this.calendar.timeZone],
    );
    return { count, amountNok: toDecimal(BigInt(sum), 'NOK') };
  }

  /**
   * What a customer has not paid, in NOK as a decimal text, and the part of it that is overdue; and the number of its open invoices in
   * any currency, counted to {@link MOST_COUNTED}. A credit note is none: it is paid by nobody.
   */
  async owedBy(customerId: string): Promise<{ owedNok: string; overdueNok: string; open: number }> {
    const [{ owed, overdue, open }] = await this.dataSource.query<[{ owed: string; overdue: string; open: number }]>(
      `select coalesce(sum(amount_due) filter (where currency = 'NOK'), 0)::text as owed,
         coalesce(sum(amount_due) filter (where currency = 'NOK'
           and app.invoice_is_overdue(status, type, due_date, (app.now() at time zone $2)::date)), 0)::text as overdue,
         least(count(*), ${MOST_COUNTED})::int as open
       from invoice where customer_id = $1 and status = 'open' and type = 'invoice'`,
      [customerId, this.calendar.timeZone],
    );
    return { owedNok: toDecimal(BigInt(owed), 'NOK'), overdueNok: toDecimal(BigInt(overdue), 'NOK'), open };
  }

  /** A page of the invoices, in the order that the request names; with the number of all. */
  async inbox(filter: InvoiceFilter, request: InboxRequest): Promise<InboxPage<InvoiceSummary>> {
    return (await this.invoices.inbox(filter, request)).map(summarize);
  }
}

/** The operator gives only the invoice's id, so this query names no customer. @throws ServiceError not_found */
async function findInvoice(manager: EntityManager, id: string): Promise<Invoice> {
  const invoice = await manager.findOneBy(Invoice, { id });
  if (!invoice) throw new ServiceError('not_found', `There is no invoice ${id}`);
  return invoice;
}

/** @throws ServiceError invalid_request */
function assertDetails({ number, kid, pdfUrl, hostedUrl, issueDate, dueDate }: ManualInvoice): void {
  requireText(number, 'The number', { min: 1, max: INVOICE_NUMBER_MAX });
  if (kid !== undefined) requireText(kid, 'The KID', { min: 1, max: KID_MAX });
  if (pdfUrl !== undefined) requireText(pdfUrl, 'The link to the PDF', { max: URL_MAX });
  if (hostedUrl !== undefined) requireText(hostedUrl, 'The address of the page', { max: URL_MAX });
  if (dueDate !== undefined && dueDate < issueDate)
    throw new ServiceError('invalid_request', 'The due date must not be before the issue date');
}

/** An invoice of this or another customer already has this number. */
export class DuplicateInvoiceError extends ServiceError {
  constructor(number: string) {
    super('invalid_request', `There already is an invoice ${number}: choose another number`);
  }
}

function summarize(invoice: Invoice): InvoiceSummary {
  const { id, customerId, source, type, number, status, currency, issueDate, dueDate, paidAt } = invoice;
  const amount = toDecimal(BigInt(invoice.amount), currency);
  const amountDue = toDecimal(BigInt(invoice.amountDue), currency);
  return { id, customerId, source, type, number, status, currency, amount, amountDue, issueDate, dueDate, paidAt };
}
