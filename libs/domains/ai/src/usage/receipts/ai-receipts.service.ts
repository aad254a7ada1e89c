import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  idWindow,
  type ReadStatement,
  timeOfId,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import { allRows, type KeyedList, keyedPage, type Page, type PageRequest } from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { TokenNamesService } from '@platform/tokens';
import { AiModelPrice } from '../../entities/ai-model-price.entity';
import { AiUsageDay } from '../../entities/ai-usage-day.entity';
import { AiUsage } from '../../entities/ai-usage.entity';
import { momentsOf } from '../period';
import { PORTION } from '../portion';
import { PRICES, type Receipt, type ReceiptFilter, USAGE } from './receipt';
import { receiptSql, receiptsOfSomeSql, receiptsSql, type ReceiptTables } from './receipt-sql';

type Row = Omit<Receipt, 'tokenName'>;

/** Which receipts are read: ids from a moment on and below another, made from `start` to `end`. */
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
  private readonly some: ReadStatement<Row>;
  /** How much older than its charge a call's id can be. */
  private readonly longestCallMs: number;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly calendar: BillingCalendar,
    private readonly tokenNames: TokenNamesService,
    reads: EntityReadsService,
    { AI_UPSTREAM_TIMEOUT_MS, AI_RESERVATION_MARGIN_MS }: AppConfig,
  ) {
    this.longestCallMs = Math.max(3_600_000, 2 * (AI_UPSTREAM_TIMEOUT_MS + AI_RESERVATION_MARGIN_MS));
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
    this.some = reads.define({ name: 'ai.receipts.some', text: receiptsOfSomeSql(tables), columns });
  }

  /** @throws ServiceError not_found */
  async find(id: string): Promise<Receipt> {
    const [receipt] = await this.named(await this.database.read(this.one, [id]));
    if (!receipt) throw new ServiceError('not_found', 'You have no charged call with this id');
    return receipt;
  }

  /** What a call was charged, in NOK as a decimal text; undefined if it was not. */
  async chargeOf(id: string): Promise<string | undefined> {
    const [receipt] = await this.database.read(this.one, [id]);
    return receipt?.charged;
  }

  /** A page of receipts. @throws ServiceError invalid_request for a cursor of another list */
  list(filter: ReceiptFilter, page: PageRequest): Promise<Page<Receipt>> {
    return keyedPage(this.listed(filter), page);
  }

  /** A number of receipts behind one. */
  after(filter: ReceiptFilter, count: number, id?: string): Promise<Receipt[]> {
    return this.listed(filter).read(count, id);
  }

  /** All receipts, read in portions as they are consumed, for the customer in context when this is called. */
  all(filter: ReceiptFilter): AsyncGenerator<Receipt[]> {
    return allRows(this.listed(filter), PORTION);
  }

  private listed(filter: ReceiptFilter): KeyedList<Receipt> {
    const { customerId } = this.context;
    const { from, to, createdAfter, createdBefore, tokenId = null, model = null } = filter;
    const { start, end } = momentsOf(filter, this.calendar);
    const idsFrom = start && new Date(Math.max(0, Date.parse(start) - this.longestCallMs)).toISOString();
    return {
      name: 'ai.usage',
      filters: [from, to, createdAfter, createdBefore, tokenId, model],
      key: 'uuid',
      keyOf: ({ id }) => id,
      read: (count, after) =>
        // Portions are read when a reply's stream wants them, outside of the request's context.
        this.context.run(customerId, async () =>
          this.named(
            tokenId === null && model === null
              ? await this.latest(count, { idsFrom, start, end, after })
              : await this.database.read(this.some, [
                  ...[count, idsFrom, start, end, after],
                  ...[tokenId, model, this.calendar.timeZone],
                ]),
          ),
        ),
    };
  }

  /** Reads the newest month that there can be receipts in, and only if that brings too few what lies before. */
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
