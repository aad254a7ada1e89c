import { Injectable } from '@nestjs/common';
import { CustomerServiceEntity } from '@domains/services';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  type ReadStatement,
} from '@platform/database';
import { BillingCalendar } from '@platform/time';
import { AiAccount } from '../entities/ai-account.entity';
import { AiSettings } from '../entities/ai-settings.entity';
import { presentBalances } from '../ledger/present-balances';
import { type PendingCreditRequest, PendingCreditRequestsPort } from '../ports/pending-credit-requests.port';

/** A customer's AI status: credit and usage of the month. Amounts in NOK as decimal texts. */
export interface AiStatus {
  enabled: boolean;
  includedCreditRemaining: string;
  purchasedCredit: string;
  totalAvailableCredit: string;
  /** Reserved by calls in progress; part of the total. */
  reservedCredit: string;
  currentMonthUsage: string;
  currentMonthLimit: string;
  /** `YYYY-MM` */
  month: string;
}

/** A customer's AI status and pending credit requests, as of one moment. */
export interface AiOverview extends AiStatus {
  /** Newest first. */
  pending: PendingCreditRequest[];
}

/** Reads the customer's AI overview. */
@Injectable()
export class AiOverviewService {
  private readonly overview: ReadStatement<AiOverview>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly calendar: BillingCalendar,
    pending: PendingCreditRequestsPort,
    reads: EntityReadsService,
  ) {
    const [settings, account] = [reads.table(AiSettings, 's'), reads.table(AiAccount, 'a')];
    const text = overviewSql(settings, account, reads.table(CustomerServiceEntity, 'v'), pending.expression.sql);
    this.overview = reads.statement<AiOverview>('ai.overview', text, {
      enabled: decoders.boolean,
      includedCreditRemaining: decoders.text,
      purchasedCredit: decoders.text,
      totalAvailableCredit: decoders.text,
      reservedCredit: decoders.text,
      currentMonthUsage: decoders.text,
      currentMonthLimit: decoders.text,
      month: decoders.text,
      pending: pending.expression.decode,
    });
  }

  async find(): Promise<AiOverview> {
    const [overview] = await this.database.read(this.overview, [this.calendar.timeZone]);
    if (!overview) throw new Error('The overview has one row');
    return overview;
  }
}

/** The overview in one statement; `$1` is the customer, `$2` the billing time zone. */
function overviewSql(
  s: EntityTable<AiSettings>,
  a: EntityTable<AiAccount>,
  v: EntityTable<CustomerServiceEntity>,
  pending: string,
): string {
  // As app.ai_included_credit, which the nodes of a cluster cannot call for a row: it reads a table.
  const includedCredit = `
    (select coalesce(sum(app.ai_included_credit_of(${v.column('config')})), 0)::numeric(24,12) from ${v.from}
     where ${v.column('customerId')} = $1 and ${v.column('type')} = 'ai' and ${v.column('status')} = 'active')`;
  const grant = `case when ${s.column('enabled')} then ${includedCredit} else 0 end`;
  return `
    select coalesce(${s.column('enabled')}, false), b.included, b.purchased, b.included + b.purchased, b.reserved, b.usage,
      app.ai_month_limit_of(b.usage, b.included_usage, b.included, b.purchased, ${s.column('monthlyLimit')}, ${s.column('totalLimit')}),
      b.month, ${pending}
    from (select $1::uuid as customer_id, app.billing_month(app.now(), $2) as month) c
    left join ${s.from} on ${s.column('customerId')} = c.customer_id
    left join ${a.from} on ${a.column('customerId')} = c.customer_id
    cross join lateral (${presentBalances(a, s, { month: 'c.month', grant })}) b`;
}
