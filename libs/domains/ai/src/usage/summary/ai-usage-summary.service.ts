import { Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type ReadStatement,
  readStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import { allRows, type KeyedList, keyedPage, type Page, type PageRequest } from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { TokenNamesService } from '@platform/tokens';
import { AiUsageDay } from '../../entities/ai-usage-day.entity';
import { PORTION } from '../portion';
import { NO_TOKEN, USAGE_GROUPS, type UsageGroup, type UsageSum, type UsageSummaryFilter } from './usage-summary';
import { usageSummarySql } from './usage-summary-sql';

type Sums = Omit<UsageSum, 'tokenName'>;

/** The days of a summary of which only one end is given, or none: `$2` the first day, `$3` the last, `$4` the time zone. */
const DAYS = readStatement<{ from: string; to: string }>(
  'ai.usage-days',
  `select coalesce($2::date, date_trunc('month', d.last::timestamp)::date), d.last
   from (select $1::uuid, coalesce($3::date, (app.now() at time zone $4)::date) as last) d`,
  { from: decoders.text, to: decoders.text },
);

/** A summary, and the days that it is of. */
export interface UsageSummary {
  from: string;
  to: string;
  page: Page<UsageSum>;
}

/** What a customer used and was charged, by day, month, model or token: sums of the daily sums that settlements keep. */
@Injectable()
export class AiUsageSummaryService {
  private readonly sums: Record<UsageGroup, ReadStatement<Sums>>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly calendar: BillingCalendar,
    private readonly tokenNames: TokenNamesService,
    reads: EntityReadsService,
  ) {
    const day = reads.table(AiUsageDay, 'd');
    const sumsBy = (group: UsageGroup) =>
      reads.statement<Sums>(`ai.usage-summary.${group}`, usageSummarySql(day, group), {
        key: decoders.text,
        calls: decoders.number,
        inputTokens: decoders.number,
        outputTokens: decoders.number,
        cacheWrite5mTokens: decoders.number,
        cacheWrite1hTokens: decoders.number,
        cacheReadTokens: decoders.number,
        charged: decoders.text,
        paidFromIncluded: decoders.text,
        paidFromPurchased: decoders.text,
        uncovered: decoders.text,
      });
    this.sums = Object.fromEntries(USAGE_GROUPS.map((group) => [group, sumsBy(group)])) as typeof this.sums;
  }

  /**
   * A page of a summary, exact at the moment of its reading.
   * @throws ServiceError invalid_request for a cursor of another list, or a last day before the first
   */
  async list(filter: UsageSummaryFilter, page: PageRequest): Promise<UsageSummary> {
    const days = await this.daysOf(filter);
    return { ...days, page: await keyedPage(this.listed(filter, days), page) };
  }

  /** All groups of a summary, read in portions as they are consumed. */
  async all(filter: UsageSummaryFilter): Promise<AsyncGenerator<UsageSum[]>> {
    return allRows(this.listed(filter, await this.daysOf(filter)), PORTION);
  }

  private async daysOf({ from, to }: UsageSummaryFilter): Promise<{ from: string; to: string }> {
    if (from !== undefined && to !== undefined) return { from, to };
    const [days] = await this.database.read(DAYS, [from, to, this.calendar.timeZone]);
    if (!days) throw new Error('The days are one row');
    if (days.from > days.to) {
      const detail = `from must not be after today, ${days.to}, unless to is given`;
      throw new ServiceError('invalid_request', detail, { errors: [{ pointer: '/from', detail }] });
    }
    return days;
  }

  private listed(filter: UsageSummaryFilter, days: { from: string; to: string }): KeyedList<UsageSum> {
    const { customerId } = this.context;
    const { groupBy, from, to, tokenId, model } = filter;
    return {
      name: `ai.usage-summary.${groupBy}`,
      filters: [from, to, tokenId, model],
      key: KEYS[groupBy],
      keyOf: ({ key }) => key,
      read: (count, after) =>
        this.context.run(customerId, async () => {
          const values = [count, days.from, days.to, after, tokenId, model];
          const sums = await this.database.read(this.sums[groupBy], values);
          return groupBy === 'token' ? this.named(sums) : sums.map((sum) => ({ ...sum, tokenName: null }));
        }),
    };
  }

  private async named(sums: Sums[]): Promise<UsageSum[]> {
    const names = await this.tokenNames.namesOf(sums.map(({ key }) => key).filter((key) => key !== NO_TOKEN));
    return sums.map((sum) => ({ ...sum, tokenName: names.get(sum.key) ?? null }));
  }
}

const KEYS = { day: 'day', month: 'month', model: 'text', token: 'uuid' } as const;
