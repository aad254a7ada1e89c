import { Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, EntityReadsService, type ReadStatement } from '@platform/database';
import { allRows, type KeyedList, keyedPage, type Page, type PageRequest } from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { AiLedgerEntry } from '../../entities/ai-ledger-entry.entity';
import { momentsOf } from '../period';
import { PORTION } from '../portion';
import { ENTRY, type LedgerEntry, type LedgerFilter } from './ledger-entry';
import { ledgerEntriesSql } from './ledger-entries-sql';

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
    return keyedPage(this.listed(filter), page);
  }

  /** A number of entries behind one, named by its sequence number. */
  after(filter: LedgerFilter, count: number, sequence?: string): Promise<LedgerEntry[]> {
    return this.listed(filter).read(count, sequence);
  }

  /** All entries, read in portions as they are consumed, for the customer in context when this is called. */
  all(filter: LedgerFilter): AsyncGenerator<LedgerEntry[]> {
    return allRows(this.listed(filter), PORTION);
  }

  private listed(filter: LedgerFilter): KeyedList<LedgerEntry> {
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
