import { Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  EntityReadsService,
  type EntityTable,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { allRows, type OneColumnList, oneColumnPage, type Page, type PageRequest } from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { AiLedgerEntry, type LedgerKind } from '../entities/ai-ledger-entry.entity';
import { momentsOf, type Period } from './period';

const ENTRY = [
  'sequence',
  'createdAt',
  'kind',
  'bucket',
  'amount',
  'balanceAfter',
  'month',
  'usageId',
  'creditRequestId',
  'invoiceId',
  'note',
  'actor',
] as const satisfies (keyof AiLedgerEntry)[];

/** An entry of the ledger; amounts in NOK as decimal texts. */
export type LedgerEntry = ReadRow<AiLedgerEntry, (typeof ENTRY)[number]>;

/** The filters of a list of ledger entries. */
export interface LedgerFilter extends Period {
  kind?: LedgerKind;
}

/**
 * The entries of a customer's ledger, the latest first by their sequence numbers. An entry that is added has the next number:
 * none ever appears behind another.
 */
@Injectable()
export class AiLedgerEntriesService {
  private readonly entries: ReadStatement<LedgerEntry>;
  /** Reads along an index that has no calls, of which there are many. */
  private readonly exceptUsage: ReadStatement<LedgerEntry>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly calendar: BillingCalendar,
    reads: EntityReadsService,
  ) {
    const [entry, bound] = [reads.table(AiLedgerEntry, 'e'), reads.table(AiLedgerEntry, 'b')];
    const columns: ReadStatement<LedgerEntry>['columns'] = entry.columns(ENTRY);
    const statement = (name: string, exceptUsage: boolean) =>
      reads.define({ name, text: ledgerEntriesSql(entry, bound, { exceptUsage }), columns });
    this.entries = statement('ai.ledger', false);
    this.exceptUsage = statement('ai.ledger.except-usage', true);
  }

  /** A page of entries. @throws ServiceError invalid_request for a cursor of another list */
  list(filter: LedgerFilter, page: PageRequest): Promise<Page<LedgerEntry>> {
    return oneColumnPage(this.listed(filter), page);
  }

  /** A number of entries behind one, named by its sequence number. */
  after(filter: LedgerFilter, count: number, sequence?: string): Promise<LedgerEntry[]> {
    return this.listed(filter).read(count, sequence);
  }

  /** All entries, or those behind one, read in portions as they are consumed, for the customer in context when this is called. */
  all(filter: LedgerFilter, after?: string): AsyncGenerator<LedgerEntry[]> {
    return allRows(this.listed(filter), { after });
  }

  private listed(filter: LedgerFilter): OneColumnList<LedgerEntry> {
    const { customerId } = this.context;
    const { from, to, createdAfter, createdBefore, kind } = filter;
    const { start, end } = momentsOf(filter, this.calendar);
    const statement = kind === undefined || kind === 'usage' ? this.entries : this.exceptUsage;
    return {
      name: 'ai.ledger',
      filters: [from, to, createdAfter, createdBefore, kind],
      key: 'number',
      keyOf: ({ sequence }) => sequence,
      read: (count, after) =>
        this.context.run(customerId, () => this.database.read(statement, [count, start, end, kind, after])),
    };
  }
}

/**
 * Entries behind one, the latest first: `$1` is the customer, `$2` how many, `$3` and `$4` the moments between which they
 * were made, `$5` the kind, `$6` the sequence number of the one before; null where open.
 *
 * Numbers and ids are given under the account's lock, so both are in one order, and a range of time is one of numbers: the
 * entries that bound it are found by their ids. The hour is for a clock that was set back, by less than that: ids and times go back
 * with it, and numbers go on. It is also for transactions that began, and took their time, before they had the lock.
 */
function ledgerEntriesSql(
  e: EntityTable<AiLedgerEntry>,
  b: EntityTable<AiLedgerEntry>,
  { exceptUsage }: { exceptUsage: boolean },
): string {
  const [sequence, createdAt, kind] = [e.column('sequence'), e.column('createdAt'), e.column('kind')];
  const bound = (condition: string, order: string) => `(
        select ${b.column('sequence')} from ${b.from}
        where ${b.column('customerId')} = $1 and ${b.column('id')} ${condition} order by ${b.column('id')} ${order} limit 1)`;
  return `
    select ${e.select(ENTRY)} from ${e.from}
    where ${e.column('customerId')} = $1 and ${sequence} < least($6::bigint, 9223372036854775807)
      and ${sequence} > greatest(${bound(`< app.first_id($3::timestamptz - interval '1 hour')`, 'desc')}, 0)
      and ${sequence} < least(${bound(`>= app.first_id($4::timestamptz + interval '1 hour')`, 'asc')}, 9223372036854775807)
      and ${createdAt} >= greatest($3::timestamptz, '-infinity') and ${createdAt} < least($4::timestamptz, 'infinity')
      and ($5::text is null or ${kind} = $5::text)${exceptUsage ? ` and ${kind} <> 'usage'` : ''}
    order by ${sequence} desc limit $2`;
}
