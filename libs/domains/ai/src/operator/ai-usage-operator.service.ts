import { Injectable } from '@nestjs/common';
import { requireCustomer } from '@domains/customers';
import { DataSource, In } from 'typeorm';
import { CustomerContextService } from '@platform/context';
import { OperatorList } from '@platform/database';
import { BillingCalendar } from '@platform/time';
import {
  type InboxPage,
  type InboxRequest,
  Listing,
  type ListingRequest,
  MOST_COUNTED,
  type Page,
  type PageRequest,
} from '@platform/pagination';
import { AiReservation, UNPAID_STATES } from '../entities/ai-reservation.entity';
import { AiLedgerEntriesService, type LedgerEntry, type LedgerFilter } from '../usage/ai-ledger-entries.service';
import { AiReceiptsService, type Receipt, type ReceiptFilter } from '../usage/ai-receipts.service';
import { AiUsageSummaryService, type UsageSummary, type UsageSummaryFilter } from '../usage/ai-usage-summary.service';
import { momentsOf } from '../usage/period';

/** An AI message of a request. `state` is `charged`, or the one of its reservation. Amounts in NOK, as decimal texts. */
export interface CallOfRequest {
  id: string;
  customerId: string;
  tokenId: string | null;
  state: string;
  model: string;
  charged: string;
  uncovered: string;
  /** The provider's id of the call. */
  providerRequestId: string | null;
  /** Why it was released, or ended with an unknown outcome. */
  reason: string | null;
  createdAt: Date;
}

/**
 * Calls of a request by the API's id, which has no index: of some days, of a customer if one is given. The reservation of one that was charged
 * late stays: the call is charged.
 */
const OF_REQUEST = `
  select id, customer_id as "customerId", token_id as "tokenId", 'charged' as state, model,
    paid_from_included + paid_from_purchased as charged, uncovered, request_id as "providerRequestId", null as reason,
    created_at as "createdAt"
  from ai_usage
  where api_request_id = $1 and id >= app.first_id(app.now() - make_interval(days => $2)) and ($3::uuid is null or customer_id = $3)
  union all
  select id, customer_id, token_id, state, model, 0, 0, null, reason, created_at
  from ai_reservation
  where request_id = $1 and state <> 'settled_late' and created_at >= app.now() - make_interval(days => $2) and ($3::uuid is null or customer_id = $3)
  order by 10 desc limit 20`;

/** A page, with the number of rows in all pages, counted to {@link MOST_COUNTED}. */
export interface CountedPage<Row> extends Page<Row> {
  total: number;
  totalIsExact: boolean;
}

const USAGE_COUNT = `
  select count(*)::int as count from (
    select 1 from ai_usage
    where customer_id = $1 and ($2::uuid is null or token_id = $2) and ($3::text is null or model = $3)
      and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
    limit ${MOST_COUNTED + 1}) counted`;
const LEDGER_COUNT = `
  select count(*)::int as count from (
    select 1 from ai_ledger_entry
    where customer_id = $1 and ($2::text is null or kind = $2)
      and ($3::timestamptz is null or created_at >= $3) and ($4::timestamptz is null or created_at < $4)
    limit ${MOST_COUNTED + 1}) counted`;

/** Calls for the operator: a customer's charged ones and its ledger, the same lists that the customer reads; and those that were not charged. */
@Injectable()
export class AiUsageOperatorService {
  private readonly unpaid: OperatorList<AiReservation, { customerId?: string }>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly context: CustomerContextService,
    private readonly receipts: AiReceiptsService,
    private readonly entries: AiLedgerEntriesService,
    private readonly summaries: AiUsageSummaryService,
    private readonly calendar: BillingCalendar,
  ) {
    this.unpaid = new OperatorList(dataSource, AiReservation, {
      name: 'ai.unknown',
      filters: { customerId: 'customerId' },
      base: (query) => query.where({ state: In(UNPAID_STATES) }),
      orders: { resolved_at: { by: 't.resolvedAt', kind: 'time' }, amount: { by: 't.amount', kind: 'number' } },
      usual: '-resolved_at',
    });
  }

  /** Charged calls, newest first, behind the one with an id. @throws ServiceError not_found */
  usage(customerId: string, filter: ReceiptFilter, { limit, after }: ListingRequest): Promise<Listing<Receipt>> {
    return this.as(customerId, async () =>
      Listing.fromRows(await this.receipts.after(filter, limit + 1, after), limit, ({ id }) => id),
    );
  }

  /** All of them, or those behind the one with an id, in portions. @throws ServiceError not_found */
  allUsage(customerId: string, filter: ReceiptFilter, after?: string): Promise<AsyncGenerator<Receipt[]>> {
    return this.as(customerId, () => this.receipts.all(filter, after));
  }

  /** Ledger entries, the latest first, behind the one with a sequence number. @throws ServiceError not_found */
  ledger(customerId: string, filter: LedgerFilter, { limit, after }: ListingRequest): Promise<Listing<LedgerEntry>> {
    return this.as(customerId, async () =>
      Listing.fromRows(await this.entries.after(filter, limit + 1, after), limit, ({ sequence }) => sequence),
    );
  }

  /** All of them, or those behind the one with a sequence number, in portions. @throws ServiceError not_found */
  allLedger(customerId: string, filter: LedgerFilter, after?: string): Promise<AsyncGenerator<LedgerEntry[]>> {
    return this.as(customerId, () => this.entries.all(filter, after));
  }

  /** A page of charged calls, newest first, with their number. @throws ServiceError not_found, invalid_request */
  async usagePage(customerId: string, filter: ReceiptFilter, page: PageRequest): Promise<CountedPage<Receipt>> {
    const { start, end } = momentsOf(filter, this.calendar);
    const values = [customerId, filter.tokenId, filter.model, start, end];
    return this.counted(USAGE_COUNT, values, await this.as(customerId, () => this.receipts.list(filter, page)));
  }

  /** A page of ledger entries, the latest first, with their number. @throws ServiceError not_found, invalid_request */
  async ledgerPage(customerId: string, filter: LedgerFilter, page: PageRequest): Promise<CountedPage<LedgerEntry>> {
    const { start, end } = momentsOf(filter, this.calendar);
    const values = [customerId, filter.kind, start, end];
    return this.counted(LEDGER_COUNT, values, await this.as(customerId, () => this.entries.list(filter, page)));
  }

  /** Sums of charged calls by day, month, model or token. @throws ServiceError not_found, invalid_request */
  summary(customerId: string, filter: UsageSummaryFilter, page: PageRequest): Promise<UsageSummary> {
    return this.as(customerId, () => this.summaries.list(filter, page));
  }

  /** Uncharged calls that the provider may bill: the outcome is unknown or could not be stored. Of one customer or of all. */
  unknownOutcomes(customerId: string | undefined, listing: ListingRequest): Promise<Listing<AiReservation>> {
    return this.unpaid.list({ customerId }, listing);
  }

  /** A page of them, the latest first; with the number of all. */
  unknownOutcomesInbox(customerId: string | undefined, request: InboxRequest): Promise<InboxPage<AiReservation>> {
    return this.unpaid.inbox({ customerId }, request);
  }

  private async counted<Row>(statement: string, values: unknown[], page: Page<Row>): Promise<CountedPage<Row>> {
    const [row] = await this.dataSource.query<{ count: number }[]>(statement, values);
    const count = row?.count ?? 0;
    return { ...page, total: Math.min(count, MOST_COUNTED), totalIsExact: count <= MOST_COUNTED };
  }

  /** The AI messages of a request of the last `days`, newest first. @param requestId as its reply had it in `X-Request-Id` */
  ofRequest(requestId: string, days: number, customerId?: string): Promise<CallOfRequest[]> {
    return this.dataSource.query<CallOfRequest[]>(OF_REQUEST, [requestId, days, customerId ?? null]);
  }

  private async as<T>(customerId: string, work: () => T | Promise<T>): Promise<T> {
    await requireCustomer(this.dataSource.manager, customerId);
    return this.context.run(customerId, work);
  }
}
