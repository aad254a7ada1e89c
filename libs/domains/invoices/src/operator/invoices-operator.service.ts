import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireCustomer } from '@domains/customers';
import { DataSource, type EntityManager, LessThan } from 'typeorm';
import { AuditService } from '@platform/audit';
import { isUniqueViolation, newestRows } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Listing, ListingRequest } from '@platform/pagination';
import { InvoiceNumber } from '../entities/invoice-number.entity';
import { Invoice } from '../entities/invoice.entity';
import type { InvoiceSource, InvoiceStatus, VisibleInvoiceStatus } from '../invoice-record';
import { recordInvoiceEvents } from '../invoice-events';
import { BillingCalendar } from '@platform/time';
import { toDecimal } from '@platform/money';

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

/** Manages invoices for the operator. Every change is audited. */
@Injectable()
export class InvoicesOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly calendar: BillingCalendar,
  ) {}

  /** Adds an open invoice. @throws ServiceError not_found for an unknown customer, invalid_request for a number that is taken. */
  add(actor: string, invoice: ManualInvoice): Promise<InvoiceSummary> {
    const { customerId, number } = invoice;
    return this.dataSource.transaction(async (manager) => {
      await requireCustomer(manager, customerId);
      const id = await this.issue(manager, invoice);
      const added = await manager.findOneByOrFail(Invoice, { customerId, id });
      const amount = toDecimal(BigInt(added.amount), added.currency);
      const metadata = { invoice_id: id, number, amount, currency: added.currency };
      await this.audit.record(manager, { customerId, actor, action: 'invoice.add', metadata });
      return summarize(added);
    });
  }

  /**
   * Adds an open invoice within the transaction of its cause, which the caller audits.
   * @returns the invoice's id
   * @throws DuplicateInvoiceError if an invoice of any customer has this number; the transaction is aborted then
   */
  async issue(manager: EntityManager, invoice: ManualInvoice): Promise<string> {
    const { amount, sourceId = invoice.number, currency = 'NOK', ...rest } = invoice;
    const id = randomUUID();
    const money = { amount: amount.toString(), amountDue: amount.toString(), currency };
    try {
      await manager.insert(InvoiceNumber, { source: 'manual', type: 'invoice', number: invoice.number, sourceId });
      await manager.insert(Invoice, { ...rest, ...money, id, source: 'manual', sourceId, status: 'open' });
    } catch (error) {
      throw isUniqueViolation(error) ? new DuplicateInvoiceError(invoice.number) : error;
    }
    await recordInvoiceEvents(manager, invoice.customerId, 'invoice.created', [id], this.calendar.timeZone);
    return id;
  }

  /**
   * Sets the status of a manual invoice, and its amount due accordingly. @throws ServiceError not_found;
   * invalid_request for an invoice of a billing source, which the next sync would reset
   */
  setStatus(actor: string, id: string, status: VisibleInvoiceStatus): Promise<InvoiceSummary> {
    return this.dataSource.transaction(async (manager) => {
      // The operator gives only the invoice's id, so this query names no customer.
      const invoice = await manager.findOneBy(Invoice, { id });
      if (!invoice) throw new ServiceError('not_found', `There is no invoice ${id}`);
      const { customerId, source, amount, status: before } = invoice;
      if (source !== 'manual')
        throw new ServiceError('invalid_request', `The invoice is kept in ${source}: change it there`);
      const owed = status === 'open' || status === 'uncollectible';
      const paidAt = status === 'paid' ? (invoice.paidAt ?? (() => 'app.now()')) : null;
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
  async show(id: string): Promise<Invoice> {
    // The operator gives only the invoice's id, so this query names no customer.
    const invoice = await this.dataSource.manager.findOneBy(Invoice, { id });
    if (!invoice) throw new ServiceError('not_found', `There is no invoice ${id}`);
    return invoice;
  }

  /** Invoices of one customer or of all, drafts included, newest first. */
  async list(
    { customerId, source, status, dueBefore }: InvoiceFilter,
    listing: ListingRequest,
  ): Promise<Listing<InvoiceSummary>> {
    const where = {
      ...(customerId && { customerId }),
      ...(source && { source }),
      ...(status && { status }),
      ...(dueBefore && { dueDate: LessThan(dueBefore) }),
    };
    const invoices = await newestRows(this.dataSource.manager, Invoice, { where, by: 'createdAt' }, listing);
    return invoices.map(summarize);
  }
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
