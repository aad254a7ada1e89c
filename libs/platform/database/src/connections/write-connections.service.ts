import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { asUnavailable, DatabaseUnavailableError, isDatabaseUnavailable } from '../database-errors';
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
import type { TimeReport } from './pipelined-connections.service';
import { bytesOf, StoredBytesBound } from './stored-bytes';

/** The driver's pool: its connections are of our class. */
interface WritePool {
  connect(): Promise<PoolClient & DeadlineClient>;
}

/** A burst that is served within this time is served; what would have to wait longer is refused. */
const PATIENCE_MS = 2000;

/**
 * The pool's connections, each for one write at a time: a write that waits for a lock holds up nobody but, at most, its own
 * customer. The statements of a write are sent together, with the begin and the commit of its transaction, in one round trip:
 * no connection waits in a transaction for a process without time. Only a write that is stored together with a reply has a
 * transaction that lasts longer.
 */
@Injectable()
export class WriteConnectionsService {
  /** To be set by a process that shares its time among customers. */
  report: TimeReport = () => undefined;
  private readonly line: BoundedQueue;
  private readonly storedBytes: StoredBytesBound;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {
    const { DATABASE_POOL_SIZE: places, STORED_BYTES_PER_DAY } = config;
    this.storedBytes = new StoredBytesBound(STORED_BYTES_PER_DAY);
    this.line = new BoundedQueue({ places, placesPerCustomer: Math.ceil(places / 2), patienceMs: PATIENCE_MS });
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
    if (!options.ends) this.storedBytes.check(customerId);
    return this.run(customerId, () => this.send(customerId, statements, options), options);
  }

  /**
   * Begins a transaction, which keeps a connection until it ends. @throws DatabaseUnavailableError; ServiceError rate_limited
   */
  async begin(customerId: string, options: WaitingOptions = {}): Promise<WriteTransaction> {
    if (!options.ends) this.storedBytes.check(customerId);
    return new Promise((resolve, reject) => {
      const kept = async () => {
        const client = await this.connect();
        await new Promise<void>((ended) => {
          const release = (lost?: Error) => {
            client.release(lost);
            ended();
          };
          const count = (bytes: number) => this.storedBytes.count(customerId, bytes, !options.ends);
          const errorOf = (error: unknown) => this.storedBytes.errorOf(customerId, error);
          resolve(new WriteTransaction(client, customerId, { release, count, errorOf }));
        });
      };
      this.run(customerId, kept, options).catch(reject);
    });
  }

  /**
   * Reads as a customer on a connection of its own for as long as it takes. @param answered is told the bytes and the milliseconds
   * @param atOnce the number of such reads at a time
   */
  async read<Row>(
    customerId: string,
    read: CustomerStatement<Row>,
    atOnce: number,
    answered: (bytes: number, ms: number) => void,
  ): Promise<Row[]> {
    const work = async () => {
      const client = await this.connect();
      const [before, begunAt] = [client.bytesRead, performance.now()];
      const [rows] = await this.sendOn<[Row]>(client, customerId, [read]);
      const [bytes, ms] = [client.bytesRead - before, performance.now() - begunAt];
      this.report({ customers: [customerId], bytes: [bytes], ms, connections: atOnce });
      answered(bytes, ms);
      return rows;
    };
    return this.line.run(customerId, work);
  }

  /** How long the first write in line has been waiting, in milliseconds. */
  queueDelayMs(): number {
    return this.line.queueDelayMs();
  }

  /** Does work on one of the connections when it is its turn, and reports how long that took. */
  private run<T>(customerId: string, work: () => Promise<T>, options: WaitingOptions): Promise<T> {
    const timed = async () => {
      const begunAt = performance.now();
      try {
        return await work();
      } finally {
        const ms = performance.now() - begunAt;
        this.report({ customers: [customerId], bytes: [0], ms, connections: this.config.DATABASE_POOL_SIZE });
      }
    };
    return this.line.run(customerId, timed, options);
  }

  private async send<Rows extends readonly unknown[]>(
    customerId: string,
    statements: CustomerStatements<Rows>,
    { ends = false }: WaitingOptions,
  ): Promise<RowsOf<Rows>> {
    const bytes = bytesOf(statements);
    const counted = bytes > 0 ? [this.storedBytes.count(customerId, bytes, !ends)] : [];
    const rows: unknown[][] = await this.sendOn(await this.connect(), customerId, [...statements, ...counted]);
    return rows.slice(0, statements.length) as RowsOf<Rows>;
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
    return this.pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailableError(error);
    });
  }

  private get pool(): WritePool {
    return (this.dataSource.driver as unknown as { master: WritePool }).master;
  }
}

/** What a transaction needs when it ends. */
interface TransactionEnd {
  /** Gives the connection back, with the error if it was lost. */
  release(lost?: Error): void;
  /** See {@link StoredBytesBound}. */
  count(bytes: number): CustomerStatement<object>;
  errorOf(error: unknown): unknown;
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
    void this.watch(() => Promise.all(client.inOneGo(() => beginAs(client, customerId)))).catch(() => undefined);
  }

  /** Runs statements in it. @returns the rows of each @throws DatabaseUnavailableError */
  run<Rows extends readonly unknown[]>(statements: CustomerStatements<Rows>): Promise<RowsOf<Rows>> {
    this.bytes += bytesOf(statements);
    return this.watch(() => this.client.inOneGo(() => runOn(this.client, statements)));
  }

  /**
   * Commits it. @throws DatabaseUnavailableError if it is unknown whether it was committed; ServiceError rate_limited if the
   * customer would store more than it may a day; an error if a statement had failed. It was rolled back in the last two cases
   */
  async commit(): Promise<void> {
    const { client, bytes, end } = this;
    const counted = bytes > 0 ? [end.count(bytes)] : [];
    const { command } = await this.close(() =>
      client.inOneGo(async () => {
        const replies = [runOn(client, counted), client.query('commit')] as const;
        await Promise.allSettled(replies);
        await replies[0];
        return replies[1];
      }),
    );
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement had failed');
  }

  /** Rolls it back, unless it has ended. If that cannot be told to PostgreSQL, the lost connection does it. */
  async rollback(): Promise<void> {
    if (this.isOpen) await this.close(() => this.client.query('rollback')).catch(() => undefined);
  }

  private async close(send: () => Promise<{ command: string }>): Promise<{ command: string }> {
    this.isOpen = false;
    try {
      return await this.watch(send);
    } catch (error) {
      throw this.end.errorOf(error);
    } finally {
      this.end.release(this.lost);
    }
  }

  private async watch<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      const failure = asUnavailable(error);
      if (failure instanceof DatabaseUnavailableError) this.lost ??= failure;
      throw failure;
    }
  }
}

export type { WriteTransaction };
