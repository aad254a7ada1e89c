import { Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  idWindow,
  type ReadRow,
  type ReadStatement,
  timeOfId,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import { allRows, type OneColumnList, oneColumnPage, type Page, type PageRequest } from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { TokenNamesService } from '@platform/tokens';
import { AiModelPrice } from '../entities/ai-model-price.entity';
import { AiUsageDay } from '../entities/ai-usage-day.entity';
import { AiUsage } from '../entities/ai-usage.entity';
import { momentsOf, type Period } from './period';

/** The columns of a receipt that are the call's usage row's. */
const USAGE = [
  'id',
  'createdAt',
  'provider',
  'model',
  'inputTokens',
  'outputTokens',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'cacheReadTokens',
  'uncovered',
  'paidFromIncluded',
  'paidFromPurchased',
  'currency',
  'requestId',
  'apiRequestId',
  'tokenId',
  'streamed',
] as const satisfies (keyof AiUsage)[];

/** The prices that a call was charged by. */
const PRICES = [
  'input',
  'output',
  'cacheWrite5m',
  'cacheWrite1h',
  'cacheRead',
  'validFrom',
] as const satisfies (keyof AiModelPrice)[];

/**
 * The longest time between a call's id and its charge: a process that stood still charges its calls when it continues. Calls
 * of more than a day are found without a period, or by one that begins with the reservation.
 */
const LONGEST_CALL_MS = 86_400_000;

/** A price is never removed, but no key of the database says so. */
type Nullable<Row> = { [Property in keyof Row]: Row[Property] | null };

/** The receipt of a call that was charged: amounts in NOK, rates in NOK per million tokens, all as decimal texts. */
export type Receipt = ReadRow<AiUsage, (typeof USAGE)[number]> &
  Nullable<ReadRow<AiModelPrice, (typeof PRICES)[number]>> & {
    /** The charge: the parts that included and purchased credit paid. */
    charged: string;
    /** The operator's name of the token. */
    tokenName: string | null;
  };

/** The filters of a list of receipts. */
export interface ReceiptFilter extends Period {
  tokenId?: string;
  model?: string;
}

/** The tables of a receipt. */
interface ReceiptTables {
  usage: EntityTable<AiUsage>;
  price: EntityTable<AiModelPrice>;
  day: EntityTable<AiUsageDay>;
}

type Row = Omit<Receipt, 'tokenName'>;

/** A range of receipts: ids from a moment on and below another, made from `start` to `end`. */
interface Range {
  idsFrom: string | null;
  start: string | null;
  end: string | null;
  after: string | undefined;
}

/**
 * The receipts of a customer's charged calls, newest first by their ids, which have the time of the reservation: a call that
 * takes long appears behind others that ended before it.
 */
@Injectable()
export class AiReceiptsService {
  private readonly one: ReadStatement<Row>;
  private readonly range: ReadStatement<Row>;
  private readonly ofToken: ReadStatement<Row>;
  private readonly ofModel: ReadStatement<Row>;
  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly calendar: BillingCalendar,
    private readonly tokenNames: TokenNamesService,
    reads: EntityReadsService,
  ) {
    const tables: ReceiptTables = {
      usage: reads.table(AiUsage, 'u'),
      price: reads.table(AiModelPrice, 'p'),
      day: reads.table(AiUsageDay, 'd'),
    };
    const columns = [
      ...tables.usage.columns(USAGE),
      ...tables.price.columns(PRICES),
      ['charged', decoders.text] as const,
    ] as ReadStatement<Row>['columns'];
    this.one = reads.define({ name: 'ai.receipt', text: receiptSql(tables), columns });
    this.range = reads.define({ name: 'ai.receipts', text: receiptsSql(tables), columns });
    this.ofToken = reads.define({ name: 'ai.receipts.token', text: receiptsOfTokenSql(tables), columns });
    this.ofModel = reads.define({ name: 'ai.receipts.model', text: receiptsOfModelSql(tables), columns });
  }

  /** @throws ServiceError not_found */
  async find(id: string): Promise<Receipt> {
    const [receipt] = await this.named(await this.database.read(this.one, [id]));
    if (!receipt) throw new ServiceError('not_found', 'You have no charged AI message with this id');
    return receipt;
  }

  /** The charge of a call, in NOK as a decimal text; undefined if it was not charged. */
  async chargeOf(id: string): Promise<string | undefined> {
    const [receipt] = await this.database.read(this.one, [id]);
    return receipt?.charged;
  }

  /** A page of receipts. @throws ServiceError invalid_request for a cursor of another list */
  list(filter: ReceiptFilter, page: PageRequest): Promise<Page<Receipt>> {
    return oneColumnPage(this.listed(filter), page);
  }

  /** A number of receipts behind one. */
  after(filter: ReceiptFilter, count: number, id?: string): Promise<Receipt[]> {
    return this.listed(filter).read(count, id);
  }

  /** All receipts, or those behind one, read in portions as they are consumed, for the customer in context when this is called. */
  all(filter: ReceiptFilter, after?: string): AsyncGenerator<Receipt[]> {
    return allRows(this.listed(filter), { after });
  }

  private listed(filter: ReceiptFilter): OneColumnList<Receipt> {
    const { customerId } = this.context;
    const { from, to, createdAfter, createdBefore, tokenId = null, model = null } = filter;
    const { start, end } = momentsOf(filter, this.calendar);
    const idsFrom = start && new Date(Math.max(0, Date.parse(start) - LONGEST_CALL_MS)).toISOString();
    return {
      name: 'ai.usage',
      filters: [from, to, createdAfter, createdBefore, tokenId, model],
      key: 'uuid',
      keyOf: ({ id }) => id,
      read: (count, after) =>
        // Portions are read when a reply's stream wants them, outside of the request's context.
        this.context.run(customerId, async () => {
          const range = [count, idsFrom, start, end, after];
          if (tokenId !== null) return this.named(await this.database.read(this.ofToken, [...range, tokenId, model]));
          if (model === null) return this.named(await this.latest(count, { idsFrom, start, end, after }));
          return this.named(await this.database.read(this.ofModel, [...range, model, this.calendar.timeZone]));
        }),
    };
  }

  /** Reads the newest month that can have receipts, and earlier ones only if it has too few. */
  private async latest(count: number, { idsFrom, start, end, after }: Range): Promise<Row[]> {
    const { from, least } = idWindow({ createdAfter: idsFrom ?? undefined, createdBefore: end ?? undefined }, after);
    const newest = new Date(timeOfId(from)).toISOString();
    const rows = await this.database.read(this.range, [count, newest, start, end, after]);
    if (rows.length === count || from <= least) return rows;
    return [...rows, ...(await this.database.read(this.range, [count - rows.length, idsFrom, start, end, from]))];
  }

  private async named(rows: Row[]): Promise<Receipt[]> {
    const names = await this.tokenNames.namesOf(rows.flatMap(({ tokenId }) => tokenId ?? []));
    return rows.map((row) => ({ ...row, tokenName: names.get(row.tokenId ?? '') ?? null }));
  }
}

/** The columns of a receipt: {@link USAGE}, {@link PRICES}, and the amount charged. */
function columnsOf({ usage: u, price: p }: ReceiptTables): string {
  return `${u.select(USAGE)}, ${p.select(PRICES)}, ${u.column('paidFromIncluded')} + ${u.column('paidFromPurchased')} as charged`;
}

function tablesOf({ usage: u, price: p }: ReceiptTables): string {
  return `${u.from} left join ${p.from} on ${p.column('model')} = ${u.column('model')}
      and ${p.column('validFrom')} = ${u.column('priceValidFrom')}`;
}

/** One receipt: `$1` is the customer, `$2` the id. */
function receiptSql(tables: ReceiptTables): string {
  const { usage: u } = tables;
  return `select ${columnsOf(tables)} from ${tablesOf(tables)} where ${u.column('customerId')} = $1 and ${u.column('id')} = $2`;
}

/**
 * Receipts behind one, newest first: `$2` how many, `$3` from which moment on the ids can be, `$4` and `$5` the moments
 * between which they were made, `$6` the id of the one before. Null: open.
 */
function receiptsSql(tables: ReceiptTables): string {
  return `
    select ${columnsOf(tables)} from ${tablesOf(tables)}
    where ${within(tables)}
    order by ${tables.usage.column('id')} desc limit $2`;
}

/** The same of a token, `$7`, along its index, and of the model `$8`, unless that is null. */
function receiptsOfTokenSql(tables: ReceiptTables): string {
  const { usage: u } = tables;
  return `
    select ${columnsOf(tables)} from ${tablesOf(tables)}
    where ${within(tables)} and ${u.column('tokenId')} = $7::uuid and ($8::text is null or ${u.column('model')} = $8::text)
    order by ${u.column('id')} desc limit $2`;
}

/**
 * The same of a model, `$7`, which no index has: `$8` is the billing time zone. The daily sums
 * tell on which days there are such receipts at all; only those days are looked through, the latest first. Days that are
 * close together are one stretch, which is a day longer at both ends: no receipt's id is further from its day.
 */
function receiptsOfModelSql(tables: ReceiptTables): string {
  const { usage: u, day: d } = tables;
  const day = d.column('day');
  return `
    select r.* from (
      select min(n.day) - 1 as first, max(n.day) + 2 as last from (
        select b.day, sum(b.begins) over (order by b.day) as stretch from (
          select ${day} as day, case when ${day} - lag(${day}) over (order by ${day}) <= 3 then 0 else 1 end as begins
          from ${d.from}
          where ${d.column('customerId')} = $1 and ${d.column('model')} = $7::text
            and ${day} >= greatest(($4::timestamptz at time zone $8)::date, '-infinity')
            and ${day} <= least(($5::timestamptz at time zone $8)::date, 'infinity')
          group by ${day}) b) n
      group by n.stretch order by first desc) s
    cross join lateral (
      select ${columnsOf(tables)} from ${tablesOf(tables)}
      where ${within(tables)} and ${u.column('model')} = $7::text
        and ${u.column('id')} >= app.first_id(s.first::timestamp at time zone $8)
        and ${u.column('id')} < app.first_id(s.last::timestamp at time zone $8)
      order by ${u.column('id')} desc limit $2) r
    order by s.first desc, r.id desc limit $2`;
}

/**
 * Bounds that are null are open. The hour is for a clock that was set back between an id and the time of its receipt. greatest and
 * least ignore nulls; coalesce could be no index condition under row level security.
 */
function within({ usage: u }: ReceiptTables): string {
  const [id, createdAt] = [u.column('id'), u.column('createdAt')];
  return `${u.column('customerId')} = $1
      and ${id} >= greatest(app.first_id($3::timestamptz), '00000000-0000-0000-0000-000000000000')
      and ${id} < least(app.first_id($5::timestamptz + interval '1 hour'), $6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and ${createdAt} >= greatest($4::timestamptz, '-infinity') and ${createdAt} < least($5::timestamptz, 'infinity')`;
}
