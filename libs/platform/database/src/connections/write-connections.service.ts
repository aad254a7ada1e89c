import { Buffer } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { asUnavailable, DatabaseUnavailableError, isCancelled, isDatabaseUnavailable } from '../database-errors';
import type { DecodedStatement } from '../prepared-statement';
import { BoundedQueue, type WaitingOptions } from './bounded-queue';
import {
  beginAs,
  type CustomerStatement,
  type CustomerStatements,
  type RowsOf,
  runOn,
  transactAs,
} from './customer-transaction';
import type { DeadlineClient } from './deadline-client';
import { StatementTimes } from './statement-times';

/** The driver's pool: its connections are of our class. */
interface WritePool {
  connect(): Promise<PoolClient & DeadlineClient>;
}

/** A burst that is served within this time is served; what would have to wait longer is refused. */
const PATIENCE_MS = 2000;

const BEHIND_OWN = 'Your requests wait for each other at the database; send fewer at a time';

const COUNT_BYTES: DecodedStatement<object> = {
  name: 'database.count-stored-bytes',
  text: 'select from app.count_stored_bytes(p_customer => $1, p_bytes => $2, p_most => $3)',
  columns: [],
};

/** SQLSTATE of `app.count_stored_bytes` above the bound. */
const BYTES_USED_UP = 'SB001';

/**
 * Bytes of a write that are always counted. Of a smaller one this many are counted with the probability of its share in them, and
 * otherwise none: the sum is the same but for its square root's part (0.4 % of the usual bound), and few writes wait for the row that
 * all writes of their customer change.
 */
const SAMPLED_BYTES = 4096;
/** Of a small bound fewer: a sample is never more than this part of it. */
const LEAST_SAMPLES = 65_536;

/** Customers that are remembered as having stored all that they may; beyond it the oldest is asked for again. */
const REMEMBERED = 10_000;

/**
 * The pool's connections, each for one write at a time: a write that waits for a lock holds up nobody but, at most, its own
 * customer. The statements of a write are sent together, with the begin and the commit of its transaction, in one round trip:
 * no connection waits in a transaction for a process without time. Only a write that is stored together with a reply has a
 * transaction that lasts longer.
 */
@Injectable()
export class WriteConnectionsService {
  /** The works that wait for a connection. */
  readonly line: BoundedQueue;
  private readonly storedBytes: StoredBytesBound;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly times: StatementTimes,
  ) {
    const { DATABASE_POOL_SIZE: places, STORED_BYTES_PER_DAY } = config;
    this.storedBytes = new StoredBytesBound(STORED_BYTES_PER_DAY);
    this.line = new BoundedQueue({
      places,
      placesPerCustomer: Math.ceil(places / 2),
      patienceMs: PATIENCE_MS,
      behindOwn: () => new ServiceError('rate_limited', BEHIND_OWN, { retryAfterSeconds: 1 }),
    });
  }

  /**
   * Runs statements as one transaction of a customer. @returns the rows of each @throws DatabaseUnavailableError; ServiceError
   * rate_limited if the customer would store more than it may a day
   */
  write<Rows extends readonly unknown[]>(
    customerId: string,
    statements: CustomerStatements<Rows>,
    options: WaitingOptions = {},
  ): Promise<RowsOf<Rows>> {
    const bytes = bytesOf(statements);
    // What stores nothing of the customer's, such as the positions of its events, is not bounded.
    if (bytes > 0 && !options.ends) this.storedBytes.check(customerId);
    const counted = this.storedBytes.count(customerId, bytes, !options.ends);
    return this.line.run(customerId, () => this.send(customerId, statements, counted), options);
  }

  /**
   * Begins a transaction, which keeps a connection until it ends. @throws DatabaseUnavailableError; ServiceError rate_limited
   */
  async begin(customerId: string, options: WaitingOptions = {}): Promise<WriteTransaction> {
    if (!options.ends) this.storedBytes.check(customerId);
    return new Promise((resolve, reject) => {
      const kept = async () => {
        const begunAt = performance.now();
        try {
          const client = await this.connect();
          await new Promise<void>((ended) => {
            const release = (lost?: Error) => {
              client.release(lost);
              ended();
            };
            const end = { release, storedBytes: this.storedBytes, isBounded: !options.ends };
            resolve(new WriteTransaction(client, customerId, end));
          });
        } finally {
          this.report(customerId, begunAt);
        }
      };
      this.line.run(customerId, kept, options).catch(reject);
    });
  }

  /**
   * Reads as a customer on a connection of its own for as long as it takes. @param answered is told the bytes, and the milliseconds
   * of the database itself
   * @param atOnce the number of such reads at a time
   */
  async readApart<Row>(
    customerId: string,
    read: CustomerStatement<Row>,
    atOnce: number,
    answered: (bytes: number, ms: number) => void,
  ): Promise<Row[]> {
    const work = async () => {
      const client = await this.connect();
      const [before, begunAt] = [client.bytesRead, performance.now()];
      const note = () => {
        const [bytes, ms] = [client.bytesRead - before, performance.now() - begunAt];
        answered(bytes, this.times.report({ customers: [customerId], bytes: [bytes], ms, connections: atOnce }));
      };
      try {
        const [rows] = await this.sendOn<[Row]>(client, customerId, [read]);
        note();
        return rows;
      } catch (error) {
        // It has taken all the time that a statement may.
        if (error instanceof DatabaseUnavailableError && isCancelled(error.cause)) note();
        throw error;
      }
    };
    return this.line.run(customerId, work);
  }

  /** Reports how long a connection was a customer's. */
  private report(customerId: string, begunAt: number): void {
    const ms = performance.now() - begunAt;
    this.times.report({ customers: [customerId], bytes: [0], ms, connections: this.config.DATABASE_POOL_SIZE });
  }

  private async send<Rows extends readonly unknown[]>(
    customerId: string,
    statements: CustomerStatements<Rows>,
    counted: CustomerStatement<object>[],
  ): Promise<RowsOf<Rows>> {
    const begunAt = performance.now();
    try {
      const rows: unknown[][] = await this.sendOn(await this.connect(), customerId, [...statements, ...counted]);
      return rows.slice(0, statements.length) as RowsOf<Rows>;
    } finally {
      this.report(customerId, begunAt);
    }
  }

  /** Sends statements as one transaction on a connection, and gives it back to the pool. */
  private async sendOn<Rows extends readonly unknown[]>(
    client: PoolClient & DeadlineClient,
    customerId: string,
    statements: CustomerStatements<Rows>,
  ): Promise<RowsOf<Rows>> {
    let lost: Error | undefined;
    try {
      return await client.inOneGo(() => transactAs(client, customerId, statements));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw this.storedBytes.errorOf(customerId, error);
      lost = new DatabaseUnavailableError(error);
      throw lost;
    } finally {
      client.release(lost);
    }
  }

  private connect(): Promise<PoolClient & DeadlineClient> {
    const { master: pool } = this.dataSource.driver as unknown as { master: WritePool };
    return pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailableError(error);
    });
  }
}

/** What a transaction needs when it ends. */
interface TransactionEnd {
  /** Gives the connection back, with the error if it was lost. */
  release(lost?: Error): void;
  storedBytes: StoredBytesBound;
  /** Whether it is refused above the bound of stored bytes. */
  isBounded: boolean;
}

/**
 * A transaction of several writes of one customer, on a connection of its own. It has to be ended soon: it keeps the
 * connection and its locks, and PostgreSQL ends it after DATABASE_STATEMENT_TIMEOUT_MS without a statement.
 */
class WriteTransaction {
  /** Whether statements can still join it. */
  isOpen = true;
  private lost?: Error;
  /** Bytes that its statements store. */
  private bytes = 0;

  constructor(
    private readonly client: PoolClient & DeadlineClient,
    readonly customerId: string,
    private readonly end: TransactionEnd,
  ) {
    // Queued in front of the first statements, which fail if this does.
    void this.watch(client.inOneGo(() => beginAs(client, customerId))).catch(() => undefined);
  }

  /** Runs statements in it. @returns the rows of each @throws DatabaseUnavailableError */
  run<Rows extends readonly unknown[]>(statements: CustomerStatements<Rows>): Promise<RowsOf<Rows>> {
    this.bytes += bytesOf(statements);
    return this.watch(this.client.inOneGo(() => runOn(this.client, statements)));
  }

  /**
   * Commits it. @throws DatabaseUnavailableError if it is unknown whether it was committed; ServiceError rate_limited if the
   * customer would store more than it may a day; an error if a statement had failed. It was rolled back in the last two cases
   */
  async commit(): Promise<void> {
    const { client, customerId, bytes, end } = this;
    const counted = end.storedBytes.count(customerId, bytes, end.isBounded);
    const committed = client.inOneGo(async () => {
      const replies = [runOn(client, counted), client.query('commit')] as const;
      await Promise.allSettled(replies);
      await replies[0];
      return replies[1];
    });
    const { command } = await this.close(committed);
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement had failed');
  }

  /** Rolls it back, unless it has ended. If that cannot be told to PostgreSQL, the lost connection does it. */
  async rollback(): Promise<void> {
    if (this.isOpen) await this.close(this.client.query('rollback')).catch(() => undefined);
  }

  /** @param sent its last statements */
  private async close(sent: Promise<{ command: string }>): Promise<{ command: string }> {
    this.isOpen = false;
    try {
      return await this.watch(sent);
    } catch (error) {
      throw this.end.storedBytes.errorOf(this.customerId, error);
    } finally {
      this.end.release(this.lost);
    }
  }

  /** Waits for the replies to what was sent, and remembers if the connection was lost. @throws DatabaseUnavailableError */
  private async watch<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      const failure = asUnavailable(error);
      if (failure instanceof DatabaseUnavailableError) this.lost ??= failure;
      throw failure;
    }
  }
}

/**
 * Bounds the bytes that each customer stores a day, over all processes: the database counts them, in the transaction of the
 * write. A customer that has used them up is remembered, so that its next write does not reach the database.
 */
class StoredBytesBound {
  /** When the next day begins for customers that may store nothing more, on the clock of `performance.now()`. */
  private readonly full = new Map<string, number>();

  /** @param most bytes a customer may store a day */
  constructor(private readonly most: number) {}

  /** @throws ServiceError rate_limited if the customer is known to have used up its bytes */
  check(customerId: string): void {
    const until = this.full.get(customerId);
    if (until === undefined) return;
    if (until > performance.now()) throw this.refusal(until);
    this.full.delete(customerId);
  }

  /**
   * The statement that counts bytes, the last before the commit, if they are to be counted. @param isBounded false for what completes
   * an operation that has an effect already: it only counts
   */
  count(customerId: string, bytes: number, isBounded: boolean): CustomerStatement<object>[] {
    const counted = Math.max(bytes, Math.min(SAMPLED_BYTES, this.most / LEAST_SAMPLES));
    if (bytes === 0 || Math.random() * counted >= bytes) return [];
    return [{ statement: COUNT_BYTES, values: [customerId, Math.round(counted), isBounded ? this.most : null] }];
  }

  /** The error to throw for a failed write: ServiceError rate_limited if it went beyond the bound. */
  errorOf(customerId: string, error: unknown): unknown {
    if (!isFull(error)) return error;
    const until = performance.now() + Number(error.detail) * 1000;
    if (this.full.size >= REMEMBERED) this.full.delete(this.full.keys().next().value as string);
    this.full.set(customerId, until);
    return this.refusal(until);
  }

  private refusal(until: number): ServiceError {
    const seconds = Math.max(1, Math.ceil((until - performance.now()) / 1000));
    return new ServiceError(
      'rate_limited',
      `You may store ${this.most} bytes a day in tickets, SMS and kept replies, those of AI messages excepted. They are used up; the next day begins at midnight UTC`,
      { retryAfterSeconds: seconds },
    );
  }
}

/** The bytes of the values that statements store, without the customer that each of them names. */
function bytesOf(statements: CustomerStatements<readonly unknown[]>): number {
  let bytes = 0;
  for (const { values } of statements)
    for (let place = 1; place < values.length; place++) bytes += sizeOf(values[place]);
  return bytes;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + sizeOf(each), 0);
  return value === null || value === undefined ? 0 : 8;
}

function isFull(error: unknown): error is Error & { detail: string } {
  return Error.isError(error) && (error as { code?: unknown }).code === BYTES_USED_UP;
}

export type { WriteTransaction };
