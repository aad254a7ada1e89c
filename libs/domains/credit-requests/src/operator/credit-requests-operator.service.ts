import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { AiCreditOperatorService } from '@domains/ai';
import { recordEvent } from '@domains/events';
import { BillingCalendar } from '@platform/time';
import { AuditService } from '@platform/audit';
import { AppConfig } from '@platform/config';
import { isLockTimeout, OperatorList, type TextSearch } from '@platform/database';
import { requireText, ServiceError } from '@platform/errors';
import { NUMBER_AND_NAME } from '@domains/customers';
import { asPrinted, INVOICE_NUMBER_MAX, InvoicesOperatorService } from '@domains/invoices';
import { hundredths } from '@platform/money';
import { type OperatorRole, OperatorAccountsService } from '@platform/operator-accounts';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { CreditRequestApproval } from '../entities/credit-request-approval.entity';
import { REJECTION_REASON_MAX } from '../credit-request-values';
import { CreditRequest, type CreditRequestStatus } from '../entities/credit-request.entity';

const DAYS_TO_PAY = 14;
/** The roles that may approve. */
const APPROVERS: readonly OperatorRole[] = ['billing', 'admin'];
/** How long a decision waits for another one about the same request: less than a statement may take, which would be a 503. */
const DECISION_WAIT = '3s';

/** A request, with its first approval if it waits for a second person, or the number of its invoice if it is approved. */
export type ApprovedCreditRequest = CreditRequest & { firstApproval?: CreditRequestApproval; invoiceNumber?: string };

/** Filters of the list. */
export interface CreditRequestFilter {
  customerId?: string;
  status?: CreditRequestStatus;
  /** The request's number, or a part of its reference, its note, or its customer's name or number. */
  search?: string;
}

const SEARCH: TextSearch = {
  key: 't.customerId, t.id',
  matches: [
    `select r.customer_id, r.id from ai_credit_request r where r.reference ilike :part or r.note ilike :part`,
    `select r.customer_id, r.id from customer c join ai_credit_request r on r.customer_id = c.id where ${NUMBER_AND_NAME} ilike :part`,
  ],
  // The customer as a value: PostgreSQL would read all that have the text for a condition with `exists`.
  contains: `strpos(lower(t.reference), lower(:wanted)) > 0 or strpos(lower(t.note), lower(:wanted)) > 0
    or strpos(lower((select ${NUMBER_AND_NAME} from customer c where c.id = t.customer_id)), lower(:wanted)) > 0`,
};
/** A request's number. */
const NUMBER = /^[1-9]\d{0,8}$/;
const SEARCH_WITH_NUMBER: TextSearch = {
  ...SEARCH,
  matches: [
    ...SEARCH.matches,
    'select r.customer_id, r.id from ai_credit_request r where r.id = cast(cast(:wanted as text) as integer)',
  ],
  contains: `t.id = cast(cast(:wanted as text) as integer) or ${SEARCH.contains}`,
};

/** The operator's decisions about credit requests. Every change is audited. */
@Injectable()
export class CreditRequestsOperatorService {
  private readonly requests: OperatorList<CreditRequest, CreditRequestFilter>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly invoices: InvoicesOperatorService,
    private readonly credit: AiCreditOperatorService,
    private readonly accounts: OperatorAccountsService,
    private readonly calendar: BillingCalendar,
    private readonly config: AppConfig,
  ) {
    this.requests = new OperatorList(dataSource, CreditRequest, {
      name: 'credit-requests',
      filters: {
        customerId: 'customerId',
        status: 'status',
        search: { textSearch: (text) => (NUMBER.test(text) ? SEARCH_WITH_NUMBER : SEARCH) },
      },
      orders: { created_at: { by: 't.createdAt', kind: 'time' }, amount_nok: { by: 't.amountNok', kind: 'number' } },
      id: { by: 't.id', kind: 'number' },
    });
  }

  /** One request. @throws ServiceError not_found */
  async show(id: number): Promise<ApprovedCreditRequest> {
    const request = await this.dataSource.manager.findOneBy(CreditRequest, { id });
    if (!request) throw new ServiceError('not_found', `There is no credit request ${id}`);
    return this.withApproval(request);
  }

  /** Requests of one customer or of all, newest first. */
  list(filter: CreditRequestFilter, listing: ListingRequest): Promise<Listing<CreditRequest>> {
    return this.requests.list(filter, listing);
  }

  /** A page of the requests, in the order that the request names; with the number of all. */
  async inbox(filter: CreditRequestFilter, request: InboxRequest): Promise<InboxPage<ApprovedCreditRequest>> {
    const page = await this.requests.inbox(filter, request);
    const addTo = await this.approvalsOf(page.items);
    return page.map(addTo);
  }

  /** The requests that wait for a decision: their number, and their sum in NOK as a decimal text. */
  async waiting(): Promise<{ count: number; amountNok: string }> {
    const [row] = await this.dataSource.query<[{ count: number; amountNok: string }]>(
      `select count(*)::int as count, coalesce(sum(amount_nok), 0)::text as "amountNok" from ai_credit_request where status = 'pending'`,
    );
    return row;
  }

  /**
   * Invoices the amount, adds the credit and approves the request, all or nothing. Idempotent: an approved request is
   * returned unchanged, unless the person names another number than its invoice has: that one would be written twice. Above
   * APPROVAL_SECOND_PERSON_NOK the first person's approval is kept, and the request stays pending until another person approves it
   * too. If the first one's account may no longer approve by then, the other one is the first.
   * @param given the number printed on the invoice; default that of the first approval, or else `AI-<request id>`
   * @throws ServiceError not_found; invalid_request for a rejected request, a number that another invoice has, another number than
   * that of the first approval or of the request's invoice, or the person who has approved it first
   */
  async approve(actor: string, id: number, given?: string): Promise<ApprovedCreditRequest> {
    const invoiceNumber = given === undefined ? undefined : asPrinted(given);
    const approved = await this.dataSource.transaction(async (manager) => {
      const request: ApprovedCreditRequest = await lockRequest(manager, id);
      if (request.status === 'approved') {
        await this.assertNumber(manager, request, invoiceNumber);
        return request;
      }
      if (request.status === 'rejected')
        throw new ServiceError('invalid_request', `The credit request ${id} was rejected by ${decidedBy(request)}`);
      const { customerId, amountNok } = request;
      const number = await this.numberIfAgreed(manager, actor, request, invoiceNumber);
      if (number === undefined) return request;
      const { now } = await this.calendar.present(manager);
      const issueDate = this.calendar.dateOf(now);
      const invoiceId = await this.invoices.issue(manager, {
        customerId,
        number,
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
    return this.withApproval(approved);
  }

  /** @throws ServiceError invalid_request if the invoice of an approved request has another number than the one given */
  private async assertNumber(manager: EntityManager, request: CreditRequest, given: string | undefined) {
    const number = (await this.invoices.numbersOf(manager, [request])).get(request.invoiceId);
    if (given === undefined || number === undefined || given === number) return;
    throw new ServiceError(
      'invalid_request',
      `${decidedBy(request)} has approved it with the invoice number ${number}, not ${given}: write no second invoice`,
    );
  }

  /** The first approvals of those requests that wait for a second person, by request. */
  private async firstApprovals(requests: readonly CreditRequest[]): Promise<Map<number, CreditRequestApproval>> {
    const ids = requests.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const approvals = await this.dataSource.manager.findBy(CreditRequestApproval, { creditRequestId: In(ids) });
    return new Map(approvals.map((approval) => [approval.creditRequestId, approval]));
  }

  /** Finds the first approvals and the invoices' numbers of requests. @returns what adds them to one of the requests */
  private async approvalsOf(
    requests: readonly CreditRequest[],
  ): Promise<(request: CreditRequest) => ApprovedCreditRequest> {
    const approvals = await this.firstApprovals(requests);
    const numbers = await this.invoices.numbersOf(this.dataSource.manager, requests);
    return (request) =>
      Object.assign(request, {
        firstApproval: approvals.get(request.id),
        invoiceNumber: numbers.get(request.invoiceId),
      });
  }

  private async withApproval(request: CreditRequest): Promise<ApprovedCreditRequest> {
    return (await this.approvalsOf([request]))(request);
  }

  /**
   * The number for the invoice of a request that may be approved now; undefined if it may not yet. If it needs a second person, the
   * first one's approval is kept, with the number that it names. The first person may replace that number. One who may no longer
   * approve is replaced, with the number: the account may have been misused.
   */
  private async numberIfAgreed(
    manager: EntityManager,
    actor: string,
    { customerId, id, amountNok }: CreditRequest,
    given: string | undefined,
  ): Promise<string | undefined> {
    const { APPROVAL_SECOND_PERSON_NOK: most } = this.config;
    const usual = `AI-${id}`;
    const key = { customerId, creditRequestId: id };
    const kept = await manager.findOneBy(CreditRequestApproval, key);
    const first = kept && (await this.accounts.isEntitled(manager, kept.approvedBy, APPROVERS)) ? kept : null;
    const number = given ?? first?.invoiceNumber ?? usual;
    const isSecond = first !== null && !isSamePerson(first.approvedBy, actor);
    // Below a limit that was raised meanwhile, too, the first person's number holds.
    if (isSecond && first.invoiceNumber !== null && number !== first.invoiceNumber)
      throw new ServiceError(
        'invalid_request',
        `${first.approvedBy} has approved it with the invoice number ${first.invoiceNumber}, not ${number}: leave it out, or let ${first.approvedBy} approve it with yours`,
      );
    if (most === undefined || hundredths(amountNok) <= BigInt(most) * 100n) return number;
    requireText(number, 'The number', { min: 1, max: INVOICE_NUMBER_MAX });
    if (isSecond) return number;
    if (first && (given === undefined || given === first.invoiceNumber))
      throw new ServiceError(
        'invalid_request',
        `Above ${most} NOK another person must approve it too: you have already`,
      );
    const approval = { approvedBy: actor, approvedAt: () => 'app.now()', invoiceNumber: given ?? null };
    if (first) await manager.update(CreditRequestApproval, key, { invoiceNumber: given });
    else if (kept) await manager.update(CreditRequestApproval, key, approval);
    else await manager.insert(CreditRequestApproval, { ...key, ...approval });
    await this.audit.record(manager, {
      customerId,
      actor,
      action: 'credit-request.approve-first',
      metadata: {
        credit_request_id: id,
        amount_nok: amountNok,
        invoice_number: given ?? null,
        ...(kept && !first && { replaces: kept.approvedBy }),
      },
    });
    return undefined;
  }

  /**
   * Rejects a request; the customer can read why. Idempotent: a rejected request is returned unchanged. @throws
   * ServiceError not_found; invalid_request for an approved request, or a reason that is too long
   */
  async reject(actor: string, id: number, reason: string): Promise<CreditRequest> {
    requireText(reason, 'The reason', { min: 1, max: REJECTION_REASON_MAX });
    return this.dataSource.transaction(async (manager) => {
      const request = await lockRequest(manager, id);
      if (request.status === 'rejected') return request;
      if (request.status === 'approved')
        throw new ServiceError('invalid_request', `The credit request ${id} was approved by ${decidedBy(request)}`);
      const { customerId } = request;
      const { now } = await this.calendar.present(manager);
      const decision = { status: 'rejected' as const, reason, decidedBy: actor, decidedAt: now };
      await manager.update(CreditRequest, { customerId, id }, decision);
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'credit-request.reject',
        metadata: { credit_request_id: id, amount_nok: request.amountNok, reason },
      });
      const by = 'app.record_credit_request_event';
      await recordEvent(manager, { customerId, type: 'credit_request.rejected', id, by });
      return Object.assign(request, decision);
    });
  }
}

/** Names are compared without case: one person is not two. */
function isSamePerson(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function decidedBy({ decidedBy: person }: CreditRequest): string {
  return person ?? 'another person';
}

/** The operator gives only the request's number: finds its customer first, then locks the row. */
async function lockRequest(manager: EntityManager, id: number): Promise<CreditRequest> {
  const found = await manager.findOne(CreditRequest, { select: { customerId: true, id: true }, where: { id } });
  await manager.query(`set local lock_timeout = '${DECISION_WAIT}'`);
  const request =
    found &&
    (await manager
      .findOne(CreditRequest, { where: { customerId: found.customerId, id }, lock: { mode: 'pessimistic_write' } })
      .catch((cause: unknown) => {
        if (!isLockTimeout(cause)) throw cause;
        throw new ServiceError('invalid_request', `Another person decides about the credit request ${id}: look again`, {
          cause,
        });
      }));
  await manager.query('set local lock_timeout to default');
  if (!request) throw new ServiceError('not_found', `There is no credit request ${id}`);
  return request;
}
