import { Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  type ReadStatement,
  readStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import {
  allRows,
  type Days,
  daysOfCursor,
  type OneColumnList,
  oneColumnPage,
  type Page,
  type PageRequest,
} from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { TokenNamesService } from '@platform/tokens';
import { AiUsageDay } from '../entities/ai-usage-day.entity';

/** The groups that a summary can have a sum of each. */
export const USAGE_GROUPS = ['day', 'month', 'model', 'token'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** The calls that a summary counts: days in the billing time zone, both included. */
export interface UsageSummaryFilter {
  groupBy: UsageGroup;
  /** Default: the first day of the month of `to`. */
  from?: string;
  /** Default: today. */
  to?: string;
  tokenId?: string;
  model?: string;
}

/** The sums of a group: tokens and calls as whole numbers, amounts in NOK as decimal texts. */
export interface UsageSum {
  /** The day, month or model, or the token's id. */
  key: string;
  /** Of a group by token: the operator's name of the token. */
  tokenName: string | null;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheWrite5mTokens: number;
  cacheWrite1hTokens: number;
  cacheReadTokens: number;
  charged: string;
  paidFromIncluded: string;
  paidFromPurchased: string;
  uncovered: string;
}

/** Stands in the daily sums for calls without a token. */
export const NO_TOKEN = '00000000-0000-0000-0000-000000000000';

type Sums = Omit<UsageSum, 'tokenName'>;

/** A kind of groups: the key, its text, and its order. */
interface Group {
  column: (d: EntityTable<AiUsageDay>) => string;
  order: 'asc' | 'desc';
  text: (key: string) => string;
  /** The key of the group before. */
  before: string;
  kind: OneColumnList<unknown>['key'];
}

const GROUPS: Record<UsageGroup, Group> = {
  day: {
    column: (d) => d.column('day'),
    order: 'desc',
    text: (key) => `${key}::text`,
    before: '$5::date',
    kind: 'day',
  },
  month: {
    column: (d) => `date_trunc('month', ${d.column('day')}::timestamp)`,
    order: 'desc',
    text: (key) => `to_char(${key}, 'YYYY-MM')`,
    before: `($5::text || '-01')::timestamp`,
    kind: 'month',
  },
  model: { column: (d) => d.column('model'), order: 'asc', text: (key) => key, before: '$5::text', kind: 'text' },
  token: {
    column: (d) => d.column('tokenId'),
    order: 'asc',
    text: (key) => `${key}::text`,
    before: '$5::uuid',
    kind: 'uuid',
  },
};

const SUMS = [
  'calls',
  'inputTokens',
  'outputTokens',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'cacheReadTokens',
] as const;

/** The days of a summary of which only one end is given, or none: `$2` the first day, `$3` the last, `$4` the time zone. */
const DAYS = readStatement<Days>(
  'ai.usage-days',
  `select coalesce($2::date, date_trunc('month', d.last::timestamp)::date), d.last
   from (select $1::uuid, coalesce($3::date, (app.now() at time zone $4)::date) as last) d`,
  { from: decoders.text, to: decoders.text },
);

/** A summary, and the days that it is of. */
export interface UsageSummary extends Days {
  page: Page<UsageSum>;
}

/** A customer's usage and charges by day, month, model or token: sums of the daily sums that settlements keep. */
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
   * A page of a summary, exact at the moment of its reading. All pages are of the days of the first one.
   * @throws ServiceError invalid_request for a cursor of another list, or a last day before the first
   */
  async list(filter: UsageSummaryFilter, page: PageRequest): Promise<UsageSummary> {
    const days = (page.cursor && daysOfCursor(page.cursor, placesOf(filter))) || (await this.daysOf(filter));
    return { ...days, page: await oneColumnPage(this.listed(filter, days), page) };
  }

  /** All groups of a summary, read in portions as they are consumed. */
  async all(filter: UsageSummaryFilter): Promise<AsyncGenerator<UsageSum[]>> {
    return allRows(this.listed(filter, await this.daysOf(filter)));
  }

  private async daysOf({ from, to }: UsageSummaryFilter): Promise<Days> {
    if (from !== undefined && to !== undefined) return { from, to };
    const [days] = await this.database.read(DAYS, [from, to, this.calendar.timeZone]);
    if (!days) throw new Error('The days are one row');
    if (days.from > days.to) {
      const detail = `from must not be after today, ${days.to}, if to is left out`;
      throw new ServiceError('invalid_request', detail, { errors: [{ pointer: '/from', detail }] });
    }
    return days;
  }

  private listed(filter: UsageSummaryFilter, days: Days): OneColumnList<UsageSum> {
    const { customerId } = this.context;
    const { groupBy, tokenId, model } = filter;
    return {
      ...placesOf(filter),
      ...((filter.from === undefined || filter.to === undefined) && { days }),
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

/** What the cursors of a summary belong to. */
function placesOf({
  groupBy,
  from,
  to,
  tokenId,
  model,
}: UsageSummaryFilter): Pick<OneColumnList<UsageSum>, 'name' | 'filters' | 'key'> {
  return {
    name: `ai.usage-summary.${groupBy}`,
    filters: [from, to, tokenId, model],
    key: GROUPS[groupBy].kind,
  };
}

/**
 * The sums of groups, days and months the latest first, models and tokens in their order: `$1` is the customer, `$2` how many,
 * `$3` and `$4` the first and the last day, `$5` the key of the group before, `$6` the token, `$7` the model; null where open.
 */
function usageSummarySql(d: EntityTable<AiUsageDay>, group: UsageGroup): string {
  const { column, order, text, before } = GROUPS[group];
  const key = column(d);
  const [included, purchased] = [d.column('paidFromIncluded'), d.column('paidFromPurchased')];
  return `
    select ${text(key)} as key, ${SUMS.map((name) => `sum(${d.column(name)})`).join(', ')},
      sum(${included} + ${purchased}), sum(${included}), sum(${purchased}), sum(${d.column('uncovered')})
    from ${d.from}
    where ${d.column('customerId')} = $1 and ${d.column('day')} between $3::date and $4::date
      and ($5::text is null or ${key} ${order === 'asc' ? '>' : '<'} ${before})
      and ($6::uuid is null or ${d.column('tokenId')} = $6::uuid) and ($7::text is null or ${d.column('model')} = $7::text)
    group by ${key} order by ${key} ${order} limit $2`;
}
