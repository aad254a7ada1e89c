import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { asUnavailable, DatabaseUnavailableError, isCancelled, isDatabaseUnavailable } from '../database-errors';
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
import { bytesOf, StoredBytesBound } from './stored-bytes';

/** The driver's pool: its connections are of our class. */
interface WritePool {
  connect(): Promise<PoolClient & DeadlineClient>;
}

/** A burst that is served within this time is served; what would have to wait longer is refused. */
const PATIENCE_MS = 2000;

const BEHIND_OWN = 'Your requests wait for each other at the database; send fewer at a time';

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
    const counted = bytes > 0 ? [this.storedBytes.count(customerId, bytes, !options.ends)] : [];
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
    const counted = bytes > 0 ? [end.storedBytes.count(customerId, bytes, end.isBounded)] : [];
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

export type { WriteTransaction };
