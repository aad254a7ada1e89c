import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryConfig } from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { asUnavailable, DatabaseUnavailableError, isDatabaseUnavailable } from '../condition/database-errors';
import type { PreparedStatement } from '../reads/read-statement';
import { BoundedQueue, type WaitingOptions } from './bounded-queue';
import type { DeadlineClient } from './deadline-client';

/** The driver's pool: its connections are of our class. */
interface WritePool {
  connect(): Promise<PoolClient & DeadlineClient>;
}

/** A burst that is served within this time is served; what would have to wait longer is refused. */
const PATIENCE_MS = 2000;

/**
 * The pool's connections, each for one write at a time: a write that waits for a lock holds up nobody but, at most, its own
 * customer. A write is one statement, and its transaction one round trip: no connection waits in a transaction for a process
 * without time. Only what must be stored together with a reply has a transaction of several. All are explicit, because a
 * cluster's nodes are told the customer only then.
 */
@Injectable()
export class WriteConnectionsService {
  private readonly line: BoundedQueue;

  constructor(
    private readonly dataSource: DataSource,
    { DATABASE_POOL_SIZE: places }: AppConfig,
  ) {
    this.line = new BoundedQueue({ places, placesPerCustomer: Math.ceil(places / 2), patienceMs: PATIENCE_MS });
  }

  /** Runs a statement for a customer. @throws DatabaseUnavailableError */
  write<Row extends object>(
    customerId: string,
    statement: PreparedStatement,
    values: unknown[],
    options?: WaitingOptions,
  ): Promise<Row[]> {
    return this.line.run(customerId, () => this.send<Row>(statement, values), options);
  }

  /** Begins a transaction, which keeps a connection until it ends. @throws DatabaseUnavailableError */
  begin(customerId: string, options?: WaitingOptions): Promise<WriteTransaction> {
    return new Promise((resolve, reject) => {
      const kept = async () => {
        const client = await this.connect();
        await new Promise<void>((ended) => {
          const release = (lost?: Error) => {
            client.release(lost);
            ended();
          };
          resolve(new WriteTransaction(client, customerId, release));
        });
      };
      this.line.run(customerId, kept, options).catch(reject);
    });
  }

  /** How long the first write in line has been waiting, in milliseconds. */
  queueDelayMs(): number {
    return this.line.queueDelayMs();
  }

  private async send<Row extends object>(statement: PreparedStatement, values: unknown[]): Promise<Row[]> {
    let lost: Error | undefined;
    const client = await this.connect();
    try {
      return await transaction<Row>(client, { ...statement, values });
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
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

/** Runs one statement as a transaction, in one round trip. */
async function transaction<Row extends object>(
  client: PoolClient & DeadlineClient,
  query: QueryConfig,
): Promise<Row[]> {
  const [begun, written, committed] = client.inOneGo(
    () =>
      [
        client.query('begin'),
        client.query<Row & Record<string, unknown>>(query),
        // Rolls back if the statement failed.
        client.query('commit'),
      ] as const,
  );
  // All three are answered before the connection is somebody else's.
  await Promise.allSettled([begun, written, committed]);
  await begun;
  const { rows } = await written;
  await committed;
  return rows;
}

/**
 * A transaction of several writes of one customer, on a connection of its own. It has to be ended soon: it keeps the
 * connection and its locks, and PostgreSQL ends it after DATABASE_STATEMENT_TIMEOUT_MS without a statement.
 */
class WriteTransaction {
  /** Whether statements can still join it. */
  isOpen = true;
  private lost?: Error;

  /** @param release told when it has ended, with the error if the connection was lost */
  constructor(
    private readonly client: PoolClient,
    readonly customerId: string,
    private readonly release: (lost?: Error) => void,
  ) {
    // Queued in front of the first statement, which fails if this does.
    void this.send({ text: 'begin' }).catch(() => undefined);
  }

  /** Runs a statement in it. @throws DatabaseUnavailableError */
  async query<Row extends object>(statement: PreparedStatement, values: readonly unknown[]): Promise<Row[]> {
    if (!this.isOpen) throw new Error('The transaction has ended');
    const { rows } = await this.send({ ...statement, values: [...values] });
    return rows as Row[];
  }

  /**
   * Commits it. @throws DatabaseUnavailableError if it is unknown whether it was committed, and an error if a statement had
   * failed: it was rolled back then
   */
  async commit(): Promise<void> {
    const { command } = await this.end('commit');
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement had failed');
  }

  /** Rolls it back, unless it has ended. If that cannot be told to PostgreSQL, the lost connection does it. */
  async rollback(): Promise<void> {
    if (this.isOpen) await this.end('rollback').catch(() => undefined);
  }

  private async end(text: string): Promise<{ command: string }> {
    this.isOpen = false;
    try {
      return await this.send({ text });
    } finally {
      this.release(this.lost);
    }
  }

  private async send(query: { text: string; values?: unknown[] }): Promise<{ command: string; rows: unknown[] }> {
    try {
      return await this.client.query<Record<string, unknown>>(query);
    } catch (error) {
      const failure = asUnavailable(error);
      if (failure instanceof DatabaseUnavailableError) this.lost ??= failure;
      throw failure;
    }
  }
}

export type { WriteTransaction };
