import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PartitionsService, timeOfId } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { BillingCalendar } from '@platform/time';

/** The changes of a customer's AI credit in a month, in NOK as decimal texts: sums of its ledger. */
export interface AccountingMonth {
  customerId: string;
  month: string;
  /** Purchased by approved credit requests, which are invoiced. */
  toppedUp: string;
  refunded: string;
  adjusted: string;
  /** Calls that purchased credit paid. */
  usedPurchased: string;
  /** Calls that included credit paid. */
  usedIncluded: string;
  granted: string;
  expired: string;
}

/** A month of some customers, and of all together. */
export interface AccountingReport {
  customers: AccountingMonth[];
  total: Pick<AccountingMonth, 'toppedUp' | 'usedPurchased' | 'usedIncluded'> & { customers: number };
}

// By the entry's own month: the expiry of a month's credit is booked by the roll-over of the account, in a later month.
const SUMS = `
  select customer_id as "customerId", month,
    coalesce(sum(amount) filter (where kind = 'invoice_topup'), 0)::text as "toppedUp",
    coalesce(sum(amount) filter (where kind = 'refund'), 0)::text as refunded,
    coalesce(sum(amount) filter (where kind = 'manual_adjustment'), 0)::text as adjusted,
    coalesce(-sum(amount) filter (where kind = 'usage' and bucket = 'purchased'), 0)::text as "usedPurchased",
    coalesce(-sum(amount) filter (where kind = 'usage' and bucket = 'included'), 0)::text as "usedIncluded",
    coalesce(sum(amount) filter (where kind = 'monthly_included'), 0)::text as granted,
    coalesce(-sum(amount) filter (where kind = 'expiry'), 0)::text as expired
  from ai_ledger_entry
  where month = $1 and ($2::uuid is null or customer_id = $2)
  group by customer_id, month`;

const TOTAL = `
  select count(*)::int as customers, coalesce(sum("toppedUp"::numeric), 0)::text as "toppedUp",
    coalesce(sum("usedPurchased"::numeric), 0)::text as "usedPurchased", coalesce(sum("usedIncluded"::numeric), 0)::text as "usedIncluded"
  from (${SUMS}) s`;

const BY_CUSTOMER = `select * from (${SUMS}) s order by "customerId"`;
const BY_USE = `select * from (${SUMS}) s order by "usedPurchased"::numeric + "usedIncluded"::numeric desc, "customerId" limit $3`;

/** The AI calls of a day of all customers: the charges for them in NOK as a decimal text, and their number. */
export interface UsageOfDay {
  day: string;
  charged: string;
  calls: number;
}

const DAYS = `
  select day::text as day, sum(paid_from_included + paid_from_purchased)::text as charged, sum(calls)::int as calls from ai_usage_day
  where day > (app.now() at time zone $2)::date - $1::int group by day order by day`;

const SPENT = `
  select customer_id as "customerId", month_usage::text as spent from ai_account
  where customer_id = any($1) and month = app.billing_month(app.now(), $2)`;

const CARRIED = 'select max(before) as before from ai_ledger_carried';

/** Sums of AI credit for the operator's bookkeeping. */
@Injectable()
export class AiAccountingOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly partitions: PartitionsService,
    private readonly calendar: BillingCalendar,
  ) {}

  /** The calls of the last days of all customers, by day in the billing time zone; days without one are left out. */
  byDay(days: number): Promise<UsageOfDay[]> {
    return this.dataSource.query<UsageOfDay[]>(DAYS, [days, this.calendar.timeZone]);
  }

  /** What customers have spent this month, in NOK as decimal texts, by id; those without a call in it are left out. */
  async spentThisMonth(customerIds: readonly string[]): Promise<Map<string, string>> {
    if (customerIds.length === 0) return new Map();
    const values = [customerIds, this.calendar.timeZone];
    const rows = await this.dataSource.query<{ customerId: string; spent: string }[]>(SPENT, values);
    return new Map(rows.map(({ customerId, spent }) => [customerId, spent]));
  }

  /**
   * The sums of a month (`YYYY-MM`, in the billing time zone) of each customer that has entries in it, by id; or of the `top` that used
   * most, those first. The total is that of all.
   * @throws ServiceError invalid_request for a month of which entries were dropped: its sums would look right
   */
  async month(
    month: string,
    { customerId, top }: { customerId?: string | undefined; top?: number | undefined } = {},
  ): Promise<AccountingReport> {
    const values = [month, customerId ?? null];
    const [customers, [total]] = await Promise.all([
      top === undefined
        ? this.dataSource.query<AccountingMonth[]>(BY_CUSTOMER, values)
        : this.dataSource.query<AccountingMonth[]>(BY_USE, [...values, top]),
      this.dataSource.query<[AccountingReport['total']]>(TOTAL, values),
    ]);
    // Asked after the sums: what is dropped meanwhile is noticed.
    const first = await this.firstWholeMonth();
    if (first !== undefined && month < first)
      throw new ServiceError(
        'invalid_request',
        `The entries of ${month} are no longer all in the ledger (AI_LEDGER_RETENTION_MONTHS): ${first} is the first month that adds up`,
      );
    return { customers, total };
  }

  /** The first month of which no entry was dropped; undefined if none ever was. Those dropped are of a month of UTC, by their time. */
  private async firstWholeMonth(): Promise<string | undefined> {
    const [carried] = await this.dataSource.query<[{ before: Date | null }]>(CARRIED);
    const oldest = await this.partitions.oldestId('ai_ledger_entry');
    if (carried.before === null || oldest === null) return undefined;
    // A month is kept after it was carried forward as long as one account cannot be. The oldest month alone says nothing: months before it
    // need never have been there.
    const kept = new Date(Math.min(carried.before.getTime(), timeOfId(oldest)));
    const month = this.calendar.dateOf(kept).slice(0, 7);
    return this.calendar.startOf(`${month}-01`) < kept ? this.calendar.daysAfter(`${month}-01`, 31).slice(0, 7) : month;
  }
}
