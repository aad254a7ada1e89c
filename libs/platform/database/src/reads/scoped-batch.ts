import { type Connection, Query } from 'pg';
import { isDuplicateStatement, isStatementRefused, isUnknownStatement } from '../errors/database-errors';
import type { PreparedStatement } from '../connections/prepared-statement';
import { KnownStatements } from './known-statements';
import type { ReadRow, ScopedRead } from './scoped-read';

const SET_CUSTOMER: PreparedStatement = { name: 'database.set-customer', text: 'select app.set_customer($1)' };

/** How often a read that never ran is sent again. */
const REPEATS = 5;

/** What the driver's connection can do, as far as it is needed here. */
interface Wire {
  stream: { destroy(): void };
  parse(statement: PreparedStatement): void;
  bind(portal: { statement: string; values: (string | null)[] }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(portal: object): void;
  sync(): void;
}

/**
 * Reads of several customers, one behind the other, ahead of one Sync: one message, one transaction of PostgreSQL's, one
 * reply. Each read is preceded by its own setting of the customer, and if anything fails PostgreSQL skips all that
 * follows, so no read ever runs for anyone but its customer. What was skipped is sent again.
 *
 * The driver feeds the replies to the `handle…` methods, in order.
 */
export class ScopedBatch extends Query {
  private known?: KnownStatements;
  /** Names of the statements prepared here, in order, and how many of them the server has confirmed. */
  private readonly preparing: string[] = [];
  private confirmed = 0;
  /** The read whose replies come, and whether its customer is set. */
  private at = 0;
  private failedAt = 0;
  private customerSet = false;
  private collected: ReadRow[] = [];
  private undescribed = false;

  /** `repeat` sends reads again that never ran; `lost` is told that the connection serves nobody any more. */
  constructor(
    private readonly reads: readonly ScopedRead[],
    private readonly repeat: (reads: ScopedRead[]) => void,
    private readonly lost: () => void,
  ) {
    super('', undefined, () => undefined);
  }

  override submit = (connection: Connection): void => {
    const wire = connection as unknown as Wire;
    const known = (this.known = KnownStatements.of(connection));
    for (const { customerId, statement, values } of this.reads) {
      this.prepare(wire, SET_CUSTOMER);
      wire.bind({ statement: SET_CUSTOMER.name, values: [customerId] });
      wire.execute({});
      this.prepare(wire, statement);
      wire.bind({ statement: statement.name, values });
      if (!known.columnsOf(statement.name)) wire.describe({ type: 'P', name: '' });
      wire.execute({});
    }
    wire.sync();
  };

  /** The server has prepared a statement. */
  handleParseComplete(): void {
    this.confirmed++;
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const read = this.reads[this.at];
    if (read) this.known?.describe(read.statement.name, fields);
  }

  handleDataRow({ fields: texts }: { fields: (string | null)[] }): void {
    const read = this.customerSet ? this.reads[this.at] : undefined;
    if (!read) return;
    const columns = this.known?.columnsOf(read.statement.name);
    if (!columns) {
      this.undescribed = true;
      return;
    }
    const row: ReadRow = {};
    for (const [index, { name, parse }] of columns.entries()) {
      const text = texts[index];
      row[name] = text === null || text === undefined ? null : parse(text);
    }
    this.collected.push(row);
  }

  handleCommandComplete(): void {
    if (!this.customerSet) {
      this.customerSet = true;
      return;
    }
    const read = this.reads[this.at];
    // A row that is lost in silence would look like one that does not exist.
    if (this.undescribed) read?.reject(new Error(`The rows of ${read.statement.name} were not described`));
    else read?.resolve(this.collected);
    this.undescribed = false;
    this.at++;
    this.customerSet = false;
    this.collected = [];
  }

  handleError(error: Error): void {
    this.done();
    for (const name of this.preparing.slice(this.confirmed)) this.known?.forget(name);
    const [failed, ...rest] = this.reads.slice(this.at);
    this.failedAt = this.at;
    this.at = this.reads.length;
    if (!failed) return;
    if (!isStatementRefused(error)) {
      this.lost();
      for (const read of [failed, ...rest]) read.reject(error);
      return;
    }
    if (this.isUnknownOrDuplicateStatement(error) && failed.repeats < REPEATS) {
      failed.repeats++;
      rest.unshift(failed);
    } else failed.reject(error);
    if (rest.length > 0) this.repeat(rest);
  }

  handleReadyForQuery(): void {
    // Every read has its rows already; the driver's timer ends with this.
    this.done();
  }

  /**
   * Batches are sent before the replies to earlier ones have come, so what was thought to be prepared may have been
   * skipped behind a failure, and what was thought to be skipped may be prepared. Either way nothing has run.
   */
  private isUnknownOrDuplicateStatement(error: Error): boolean {
    const name = this.customerSet ? this.reads[this.failedAt]?.statement.name : SET_CUSTOMER.name;
    if (name === undefined) return false;
    if (isUnknownStatement(error)) this.known?.forget(name);
    else if (isDuplicateStatement(error)) this.known?.mustPrepare(name);
    else return false;
    return true;
  }

  private done(): void {
    (this as unknown as { callback: () => void }).callback();
  }

  private prepare(wire: Wire, statement: PreparedStatement): void {
    if (!this.known?.mustPrepare(statement.name)) return;
    this.preparing.push(statement.name);
    wire.parse(statement);
  }
}
