import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
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

const SUMS = `
  select customer_id as "customerId", $3::text as month,
    coalesce(sum(amount) filter (where kind = 'invoice_topup'), 0)::text as "toppedUp",
    coalesce(sum(amount) filter (where kind = 'refund'), 0)::text as refunded,
    coalesce(sum(amount) filter (where kind = 'manual_adjustment'), 0)::text as adjusted,
    coalesce(-sum(amount) filter (where kind = 'usage' and bucket = 'purchased'), 0)::text as "usedPurchased",
    coalesce(-sum(amount) filter (where kind = 'usage' and bucket = 'included'), 0)::text as "usedIncluded",
    coalesce(sum(amount) filter (where kind = 'monthly_included'), 0)::text as granted,
    coalesce(-sum(amount) filter (where kind = 'expiry'), 0)::text as expired
  from ai_ledger_entry
  where created_at >= $1 and created_at < $2 and ($4::uuid is null or customer_id = $4)
  group by customer_id order by customer_id`;

/** Sums of AI credit for the operator's bookkeeping. */
@Injectable()
export class AiAccountingOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly calendar: BillingCalendar,
  ) {}

  /** The sums of a month (`YYYY-MM`, in the billing time zone) of each customer that has entries in it. */
  month(month: string, customerId?: string): Promise<AccountingMonth[]> {
    const [year = 0, number = 0] = month.split('-').map(Number);
    const next = `${number === 12 ? year + 1 : year}-${String((number % 12) + 1).padStart(2, '0')}`;
    const [start, end] = [month, next].map((one) => this.calendar.startOf(`${one}-01`));
    return this.dataSource.query<AccountingMonth[]>(SUMS, [start, end, month, customerId ?? null]);
  }
}
