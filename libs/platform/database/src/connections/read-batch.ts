import { type Connection, Query } from 'pg';
import {
  asUnavailable,
  isCancelled,
  isDuplicateStatement,
  isStatementRefused,
  isUnknownStatement,
} from '../database-errors';
import { decodeRow, type PreparedStatement, type ReadStatement, type ReadValue } from '../prepared-statement';
import { BEGIN, SET_CUSTOMER, type Wire } from './customer-transaction';
import { noteBatch, ReadCost } from './slow-reads';

/**
 * Reads in one batch at most: few should wait behind a slow one. PostgreSQL sends the first replies of a batch when it
 * has 8 kB or the end of it, so this process would have nothing to do while a large batch of small reads runs.
 */
const CAPACITY = 8;
/** How often a read that never ran is sent again. */
const REPEATS = 5;

/** A read as one customer, and the promise of its rows. */
interface CustomerRead {
  readonly customerId: string;
  readonly statement: ReadStatement<object>;
  readonly values: (string | null)[];
  readonly cost: ReadCost;
  /** When the sender began to count it. */
  readonly begunAt: number;
  readonly resolve: (rows: object[]) => void;
  readonly reject: (error: unknown) => void;
  /** How often it was sent and never ran. */
  repeats: number;
}

/** The connection that sends a batch. */
export interface BatchSender {
  /** A read begins. @returns the time, to be given to {@link finish} when it was answered */
  begin(): number;
  finish(begunAt: number): void;
  /**
   * A batch that was sent then has been answered: reads of these customers, with so many bytes in their rows. @returns how long
   * the database took, in milliseconds
   */
  answered(customers: readonly string[], bytes: readonly number[], sentAt: number): number;
  /** A batch that was sent then has failed: the reads behind it begin now. The time is this customer's, if there is one. */
  failed(customerId: string | undefined, sentAt: number): void;
  /** The batch that is sent next. */
  nextBatch(): ReadBatch;
}

/** Names of the statements that a connection's server has prepared, as far as is known. */
const preparedOn = new WeakMap<Connection, Set<string>>();

/**
 * Reads of several customers in one message and one transaction: `begin`, then for each read the setting of its customer and
 * its statement, then a Sync. When one fails PostgreSQL skips all that follow up to the Sync, so no read ever runs for anyone
 * but its customer; skipped reads are sent again. The `commit` comes in a message of its own, behind the Sync, so that the
 * transaction ends whatever happened in it.
 *
 * The driver feeds the replies to the `handle…` methods, in order.
 */
export class ReadBatch extends Query {
  /** Called when the connection can no longer be used. */
  onLost: () => void = () => undefined;
  /**
   * The reads that have not been answered, in order. An answered one is forgotten at once: the rows of all would outlive minor
   * garbage collections otherwise.
   */
  private readonly reads: CustomerRead[] = [];
  /** Whose reads these are, answered ones too, and the bytes of their rows. */
  private readonly customers: string[] = [];
  private readonly bytes: number[] = [];
  private readonly costs: ReadCost[] = [];
  private sentAt = 0;
  private known = new Set<string>();
  /** Which statements are prepared ahead of being run, in the order in which they are run. */
  private readonly preparing: (string | undefined)[] = [];
  /** How many statements have been answered: `begin`, then two for each read. */
  private answered = 0;
  private collected: object[] = [];
  private undecodable?: unknown;

  constructor(private readonly sender: BatchSender) {
    super('', undefined, () => undefined);
  }

  /** Whether no more reads fit. */
  get isFull(): boolean {
    return this.reads.length >= CAPACITY;
  }

  /** Reads as one customer, when the batch is sent. @throws DatabaseUnavailableError */
  read<Row>(
    customerId: string,
    statement: ReadStatement<Row>,
    given: readonly ReadValue[],
    cost = new ReadCost(),
  ): Promise<Row[]> {
    const values = given.map((value) => (value === null || value === undefined ? null : String(value)));
    cost.begin();
    return new Promise<object[]>((resolve, reject) => {
      const begunAt = this.sender.begin();
      this.add({
        customerId,
        statement: statement as ReadStatement<object>,
        values,
        cost,
        begunAt,
        resolve,
        reject,
        repeats: 0,
      });
    }) as Promise<Row[]>;
  }

  private add(read: CustomerRead): void {
    this.reads.push(read);
    this.customers.push(read.customerId);
    this.bytes.push(0);
    this.costs.push(read.cost);
  }

  override submit = (connection: Connection): void => {
    const wire = connection as unknown as Wire;
    this.sentAt = performance.now();
    this.known = preparedOn.get(connection) ?? new Set();
    preparedOn.set(connection, this.known);
    this.run(wire, BEGIN, []);
    for (const { customerId, statement, values } of this.reads) {
      this.run(wire, SET_CUSTOMER, [customerId]);
      this.run(wire, statement, values);
    }
    wire.sync();
  };

  /** Fails all reads that have not been answered. */
  fail(error: unknown): void {
    for (const read of this.takeUnanswered()) this.reject(read, error);
  }

  handleDataRow({ fields: texts, length }: { fields: (string | null)[]; length: number }): void {
    if (this.answered % 2 === 1) return;
    const { statement } = this.reads[0] as CustomerRead;
    const place = this.bytes.length - this.reads.length;
    this.bytes[place] = (this.bytes[place] ?? 0) + length;
    try {
      this.collected.push(decodeRow(statement, texts));
    } catch (error) {
      this.undecodable ??= error;
    }
  }

  handleCommandComplete(): void {
    if (this.answered > 0 && this.answered % 2 === 0) {
      const read = this.reads.shift() as CustomerRead;
      read.cost.noteBytes(this.bytes[this.bytes.length - this.reads.length - 1] ?? 0);
      if (this.undecodable === undefined) this.resolve(read, this.collected);
      else this.reject(read, this.undecodable);
      this.collected = [];
      this.undecodable = undefined;
    }
    this.answered++;
  }

  handleError(error: Error): void {
    this.stopTimer();
    const statement = this.failedStatement();
    for (const name of this.preparing.slice(this.answered)) if (name !== undefined) this.known.delete(name);
    const [failed, ...skipped] = this.takeUnanswered();
    if (!failed) return;
    if (!isStatementRefused(error)) {
      this.onLost();
      for (const read of [failed, ...skipped]) this.reject(read, error);
      return;
    }
    const tookTooLong = isCancelled(error);
    this.sender.failed(tookTooLong ? failed.customerId : undefined, this.sentAt);
    if (tookTooLong) failed.cost.noteTime(true, true);
    if (this.isUnknownOrDuplicateStatement(error, statement) && failed.repeats++ < REPEATS) skipped.unshift(failed);
    else this.reject(failed, error);
    for (const read of skipped) this.sender.nextBatch().add(read);
  }

  handleReadyForQuery(): void {
    this.stopTimer();
    noteBatch(this.costs, this.bytes, this.sender.answered(this.customers, this.bytes, this.sentAt));
  }

  private resolve({ begunAt, cost, resolve }: CustomerRead, rows: object[]): void {
    this.sender.finish(begunAt);
    cost.end();
    resolve(rows);
  }

  private reject({ begunAt, cost, reject }: CustomerRead, error: unknown): void {
    this.sender.finish(begunAt);
    cost.end();
    reject(asUnavailable(error));
  }

  private failedStatement(): string | undefined {
    if (this.answered === 0) return BEGIN.name;
    return this.answered % 2 === 1 ? SET_CUSTOMER.name : this.reads[0]?.statement.name;
  }

  private takeUnanswered(): CustomerRead[] {
    return this.reads.splice(0);
  }

  /**
   * Batches are sent before the replies to earlier ones have come, so a statement that counts as prepared may have been
   * skipped behind a failure, and one that counts as skipped may be prepared. Either way nothing has run.
   */
  private isUnknownOrDuplicateStatement(error: Error, statement: string | undefined): boolean {
    if (statement === undefined) return false;
    if (isUnknownStatement(error)) this.known.delete(statement);
    else if (isDuplicateStatement(error)) this.known.add(statement);
    else return false;
    return true;
  }

  /** The driver's timer for the reply ends with the callback. */
  private stopTimer(): void {
    (this as unknown as { callback: () => void }).callback();
  }

  private run(wire: Wire, statement: PreparedStatement, values: (string | null)[]): void {
    const isNew = !this.known.has(statement.name);
    this.preparing.push(isNew ? statement.name : undefined);
    if (isNew) {
      this.known.add(statement.name);
      wire.parse({ name: statement.name, text: statement.text });
    }
    wire.bind({ statement: statement.name, values });
    wire.execute({});
  }
}
