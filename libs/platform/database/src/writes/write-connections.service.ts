import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryConfig } from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { DatabaseUnavailableError, isDatabaseUnavailable } from '../errors/database-errors';
import type { DeadlineClient } from '../connections/deadline-client';
import type { PreparedStatement } from '../connections/prepared-statement';
import { BoundedQueue, type WaitingOptions } from './bounded-queue';
import { WriteTransaction } from './write-transaction';

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
