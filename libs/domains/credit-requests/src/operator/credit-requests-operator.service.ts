import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AiCreditOperatorService } from '@domains/ai';
import { recordEvent } from '@domains/events';
import { BillingCalendar } from '@platform/time';
import { AuditService } from '@platform/audit';
import { newestRows } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { InvoicesOperatorService } from '@domains/invoices';
import { hundredths } from '@platform/money';
import type { Listing, ListingRequest } from '@platform/pagination';
import { CreditRequest, type CreditRequestStatus } from '../entities/credit-request.entity';

const DAYS_TO_PAY = 14;

/** Filters of the list. */
export interface CreditRequestFilter {
  customerId?: string;
  status?: CreditRequestStatus;
}

/** The operator's decisions about credit requests. Every change is audited. */
@Injectable()
export class CreditRequestsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly invoices: InvoicesOperatorService,
    private readonly credit: AiCreditOperatorService,
    private readonly calendar: BillingCalendar,
  ) {}

  /** One request. @throws ServiceError not_found */
  async show(id: number): Promise<CreditRequest> {
    const request = await this.dataSource.manager.findOneBy(CreditRequest, { id });
    if (!request) throw new ServiceError('not_found', `There is no credit request ${id}`);
    return request;
  }

  /** Requests of one customer or of all, newest first. */
  list({ customerId, status }: CreditRequestFilter, listing: ListingRequest): Promise<Listing<CreditRequest>> {
    const where = { ...(customerId && { customerId }), ...(status && { status }) };
    return newestRows(this.dataSource.manager, CreditRequest, { where, by: 'createdAt' }, listing);
  }

  /**
   * Invoices the amount, adds the credit and approves the request, all or nothing. Idempotent: an approved request is
   * returned unchanged.
   * @param invoiceNumber the number printed on the invoice; default `AI-<request id>`
   * @throws ServiceError not_found; invalid_request for a rejected request, or a number that another invoice has
   */
  approve(actor: string, id: number, invoiceNumber = `AI-${id}`): Promise<CreditRequest> {
    return this.dataSource.transaction(async (manager) => {
      const request = await lockRequest(manager, id);
      if (request.status === 'approved') return request;
      if (request.status === 'rejected')
        throw new ServiceError('invalid_request', `The credit request ${id} was rejected`);
      const { customerId, amountNok } = request;
      const { now } = await this.calendar.present(manager);
      const issueDate = this.calendar.dateOf(now);
      const invoiceId = await this.invoices.issue(manager, {
        customerId,
        number: invoiceNumber,
        sourceId: `credit-request:${id}`,
        amount: hundredths(amountNok),
        issueDate,
        dueDate: this.calendar.daysAfter(issueDate, DAYS_TO_PAY),
      });
      const note = request.reference ?? request.note;
      const cause = { creditRequestId: id, invoiceId };
      await this.credit.applyChange(manager, actor, { customerId, kind: 'invoice_topup', amountNok, note, ...cause });
      const decision = { status: 'approved' as const, invoiceId, decidedBy: actor, decidedAt: now };
      await manager.update(CreditRequest, { customerId, id }, decision);
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'credit-request.approve',
        metadata: { credit_request_id: id, amount_nok: amountNok, invoice_id: invoiceId },
      });
      const by = 'app.record_credit_request_event';
      await recordEvent(manager, { customerId, type: 'credit_request.approved', id, by });
      return Object.assign(request, decision);
    });
  }

  /**
   * Rejects a request; the customer can read why. Idempotent: a rejected request is returned unchanged. @throws
   * ServiceError not_found; invalid_request for an approved request
   */
  reject(actor: string, id: number, reason: string): Promise<CreditRequest> {
    return this.dataSource.transaction(async (manager) => {
      const request = await lockRequest(manager, id);
      if (request.status === 'rejected') return request;
      if (request.status === 'approved')
        throw new ServiceError('invalid_request', `The credit request ${id} was approved`);
      const { customerId } = request;
      const { now } = await this.calendar.present(manager);
      const decision = { status: 'rejected' as const, reason, decidedBy: actor, decidedAt: now };
      await manager.update(CreditRequest, { customerId, id }, decision);
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'credit-request.reject',
        metadata: { credit_request_id: id, reason },
      });
      const by = 'app.record_credit_request_event';
      await recordEvent(manager, { customerId, type: 'credit_request.rejected', id, by });
      return Object.assign(request, decision);
    });
  }
}

/** The operator gives only the request's number: finds its customer first, then locks the row. */
async function lockRequest(manager: EntityManager, id: number): Promise<CreditRequest> {
  const found = await manager.findOne(CreditRequest, { select: { customerId: true, id: true }, where: { id } });
  const request =
    found &&
    (await manager.findOne(CreditRequest, {
      where: { customerId: found.customerId, id },
      lock: { mode: 'pessimistic_write' },
    }));
  if (!request) throw new ServiceError('not_found', `There is no credit request ${id}`);
  return request;
}
