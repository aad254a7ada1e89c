import { Injectable } from '@nestjs/common';
import { BillingCalendar } from '@platform/time';
import { CustomerDatabaseService, prepared } from '@platform/database';
import { timeSql } from '@platform/time';
import { type CreditRequestRow, viewColumns } from './credit-request-view';

/** Where a customer stands with AI; amounts in NOK. */
export interface AiStatus {
  enabled: boolean;
  includedCreditRemaining: number;
  purchasedCredit: number;
  totalAvailableCredit: number;
  /** Reserved by calls in progress; part of the total. */
  reservedCredit: number;
  currentMonthUsage: number;
  currentMonthLimit: number;
  /** `YYYY-MM` */
  month: string;
}

/** The status and the pending credit requests, newest first. */
export interface AiOverviewView {
  status: AiStatus;
  pending: CreditRequestRow[];
}

interface Row {
  enabled: boolean;
  included: string;
  purchased: string;
  total: string;
  reserved: string;
  usage: string;
  limit: string;
  month: string;
  pending: CreditRequestRow[];
}

// One statement, therefore one snapshot. An account that has not been rolled over yet is shown as if it had been.
const OVERVIEW = prepared(
  'ai.overview',
  `select coalesce(s.enabled, false) as enabled, b.included::text, b.purchased::text,
          (b.included + b.purchased)::text as total, b.reserved::text, b.usage::text, b.month,
          -- What included credit gives, and purchased credit that was used this month or is left; never less than was used.
          greatest(b.usage, least(s.total_limit,
            greatest(b.included_usage, least(b.included_usage + b.included, s.monthly_limit))
            + (b.usage - b.included_usage) + b.purchased))::text as limit,
          (select coalesce(json_agg(r), '[]') from (
             select ${viewColumns(timeSql)} from ai_credit_request q
             where q.customer_id = $1 and status = 'pending' order by q.created_at desc, id desc) r) as pending
   from (select $1::uuid as customer_id, app.billing_month(app.now(), $2) as month) c
   left join ai_settings s on s.customer_id = c.customer_id
   left join ai_account a on a.customer_id = c.customer_id
   cross join lateral (
     select case when a.month >= c.month then a.included
                 else coalesce(app.ai_kept_over_month(a.included, s.monthly_limit - a.month_included_usage, a.purchased, a.reserved), 0)
                      + case when s.enabled then app.ai_included_credit($1) else 0 end
            end as included,
            coalesce(a.purchased, 0) as purchased,
            coalesce(a.reserved, 0) as reserved,
            case when a.month >= c.month then a.month_usage else 0 end as usage,
            case when a.month >= c.month then a.month_included_usage else 0 end as included_usage,
            greatest(a.month, c.month) as month) b`,
);

/** The customer's AI status. */
@Injectable()
export class AiOverviewService {
  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly calendar: BillingCalendar,
  ) {}

  /** The status and the pending requests, as of one moment. */
  async find(): Promise<AiOverviewView> {
    const [row] = await this.database.read<Row & Record<string, unknown>>(OVERVIEW, [this.calendar.timeZone]);
    if (!row) throw new Error('The overview has one row');
    return {
      status: {
        enabled: row.enabled,
        includedCreditRemaining: Number(row.included),
        purchasedCredit: Number(row.purchased),
        totalAvailableCredit: Number(row.total),
        reservedCredit: Number(row.reserved),
        currentMonthUsage: Number(row.usage),
        currentMonthLimit: Number(row.limit),
        month: row.month,
      },
      pending: row.pending,
    };
  }
}
