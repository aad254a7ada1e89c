import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { ClientGoneError, CustomerContextService } from '@platform/context';
import type { Page, PageRequest } from '@platform/pagination';
import { tracedStatement } from '@platform/tracing';
import type { CustomerStatements, RowsOf } from './connections/customer-transaction';
import { PipelinedConnectionsService } from './connections/pipelined-connections.service';
import { type ReadCost, SLOW_AT_ONCE, SlowReads } from './connections/slow-reads';
import { StatementTimes } from './connections/statement-times';
import type { KeysetList, Placed } from './reads/keyset-pages';
import type { ReadStatement, ReadValue } from './prepared-statement';
import type { WaitingOptions } from './connections/bounded-queue';
import { WriteConnectionsService, type WriteTransaction } from './connections/write-connections.service';

/**
 * The only access to a customer's rows. Every statement is for the customer in context: its first parameter, `$1`, is
 * that customer, and it runs under row level security for that customer. Callers cannot name another one.
 */
@Injectable()
export class CustomerDatabaseService {
  private readonly joined = new AsyncLocalStorage<WriteTransaction>();
  private readonly slowReads = new SlowReads();

  constructor(
    private readonly context: CustomerContextService,
    private readonly connections: PipelinedConnectionsService,
    private readonly writes: WriteConnectionsService,
    private readonly times: StatementTimes,
  ) {}

  /**
   * Reads, cheap enough for every request. The statement must only read: it shares a transaction with other reads. Points
   * in time come as RFC 3339 text in UTC, to the microsecond, ready to be sent and to be a cursor.
   * @param values of `$2` and the following
   * @throws DatabaseUnavailableError; ClientGoneError
   */
  read<Row>(statement: ReadStatement<Row>, values: readonly ReadValue[] = []): Promise<Row[]> {
    const { customerId } = this.context;
    const all = [customerId, ...values];
    return tracedStatement(statement.name, () => this.readAs(customerId, statement, all));
  }

  private readAs<Row>(customerId: string, statement: ReadStatement<Row>, values: readonly ReadValue[]): Promise<Row[]> {
    if (this.context.isAbandoned) return Promise.reject(new ClientGoneError());
    const cost = this.slowReads.costOf(customerId, statement);
    // A transaction keeps a connection already: its reads must not wait for another one, which others like it may keep.
    if ((cost.isLarge || cost.isFull || cost.tookLong) && !this.openTransaction(customerId)) {
      if (cost.isLarge || !cost.isFull) return this.readApart(customerId, statement, values, cost);
      return cost.whenFree(() => this.readAs(customerId, statement, values));
    }
    return this.connections.batch().read(customerId, statement, values, cost);
  }

  /** Reads apart from others, since this has lately cost much. */
  private async readApart<Row>(
    customerId: string,
    statement: ReadStatement<Row>,
    values: readonly ReadValue[],
    cost: ReadCost,
  ): Promise<Row[]> {
    cost.begin();
    try {
      return await this.slowReads.inTurn(customerId, () => {
        if (this.context.isAbandoned) throw new ClientGoneError();
        return this.writes.readApart(customerId, { statement, values }, SLOW_AT_ONCE, (bytes, ms) => {
          cost.noteBytes(bytes);
          cost.noteTime(cost.usual.isLong(ms), true);
        });
      });
    } finally {
      cost.end();
    }
  }

  /**
   * Reads a page of a list.
   * @param filters values of the list's filters, in the order in which the list has them
   * @throws ServiceError invalid_request for a cursor that the list did not give under the same filters
   */
  async page<Row extends Placed>(
    list: KeysetList<Row>,
    page: PageRequest,
    filters: readonly ReadValue[] = [],
  ): Promise<Page<Row>> {
    const { statement, values, rest } = list.request(page, filters);
    const rows = await this.read(statement, values);
    const more = rest?.(rows.length);
    if (more) rows.push(...(await this.read(more.statement, more.values)));
    return list.page(rows, page, filters);
  }

  /**
   * Writes: the statements are sent together, as one transaction and in one round trip (but see {@link within}). They are made
   * by {@link EntityWritesService}, and run under row level security as reads do. Their values are those of `$2` and the
   * following.
   * @returns the rows of each statement
   * @throws OverloadedError if it could not be begun in time
   */
  write<const Rows extends readonly unknown[]>(
    statements: CustomerStatements<Rows>,
    options?: WaitingOptions,
  ): Promise<RowsOf<Rows>> {
    const { customerId } = this.context;
    const named = namedBy(customerId, statements);
    return this.openTransaction(customerId)?.run(named) ?? this.writes.write(customerId, named, options);
  }

  /** Writes that are nothing by themselves, in the transaction that they are part of. @throws if they are not {@link within} one */
  join<const Rows extends readonly unknown[]>(statements: CustomerStatements<Rows>): Promise<RowsOf<Rows>> {
    const { customerId } = this.context;
    const transaction = this.openTransaction(customerId);
    if (!transaction) throw new Error('These statements are part of a transaction, and there is none');
    return transaction.run(namedBy(customerId, statements));
  }

  /** Runs `work`, whose writes are one transaction; if it fails, nothing is stored. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const transaction = await this.begin();
    try {
      const result = await this.within(transaction, work);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /** Begins a transaction of the customer in context, for {@link within}. It keeps a connection: the caller ends it soon. */
  begin(options?: WaitingOptions): Promise<WriteTransaction> {
    return this.writes.begin(this.context.customerId, options);
  }

  /** Runs `work`, whose writes join the transaction instead of being transactions of their own. */
  within<T>(transaction: WriteTransaction, work: () => T): T {
    return this.joined.run(transaction, work);
  }

  private openTransaction(customerId: string): WriteTransaction | undefined {
    const joined = this.joined.getStore();
    return joined?.isOpen && joined.customerId === customerId ? joined : undefined;
  }

  /** From now on `report` is told the time that the database takes for customers' statements. */
  reportTime(report: StatementTimes['report']): void {
    this.times.report = report;
  }

  /** How long a statement that is sent now has to wait for a connection, in milliseconds, as far as can be told. */
  queueDelayMs(): number {
    return Math.max(this.connections.queueDelayMs(), this.writes.line.queueDelayMs());
  }
}

/** The statements with their customer as `$1`. */
function namedBy<Rows extends readonly unknown[]>(
  customerId: string,
  statements: CustomerStatements<Rows>,
): CustomerStatements<Rows> {
  const named = statements.map(({ statement, values }) => ({ statement, values: [customerId, ...values] }));
  return named as unknown as CustomerStatements<Rows>;
}
