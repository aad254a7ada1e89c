import { Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client, type QueryResultRow } from 'pg';
import { tracedStatement } from '@platform/tracing';
import { asUnavailable, countRefusals, DatabaseUnavailableError, isUnknownStatement } from '../database-errors';
import type { PreparedStatement } from '../prepared-statement';
import { type ConnectionSettings, PIPELINE_SETTINGS, type PipelineSettings } from './connection-settings';
import { type CustomerStatement, transactOnShared } from './customer-transaction';
import { CLOSE_TIMEOUT_MS } from './deadline-client';
import { type BatchSender, ReadBatch } from './read-batch';
import { type StatementTime, StatementTimes } from './statement-times';

/**
 * Statements are planned once per connection, not for each new value: planning over the partitions of two years costs more than
 * running. Not on a cluster, which plans by the customer that is given.
 */
const OPENING = `
  select current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when not exists (select from pg_extension where extname = 'citus')
      then set_config('plan_cache_mode', 'force_generic_plan', false) end`;

/** Pause before a lost connection is opened again. */
const REOPEN_MS = 250;
/**
 * How long a connection is used that began as read-only: on a standby, which the server's name may lead to until it follows a
 * fail-over, or under a setting of that time. No other becomes read-only for good without being closed.
 */
const READ_ONLY_MS = 2000;

/**
 * One connection that connects at its first use, or when it is created if it is to be kept open, and again after it was
 * lost.
 */
class PipelinedConnection implements BatchSender {
  /** Sends in progress. */
  load = 0;
  /** How long the latest reply took, and when it arrived. */
  private latestMs = 0;
  private repliedAt = performance.now();
  /** Until when the server worked on what was sent before. */
  private busyUntil = 0;
  private client?: Client;
  private connecting?: Promise<Client>;
  private ended = false;
  private socket?: Socket;
  /** When it could not be opened the last time; undefined once it could. */
  private failedAt?: number;
  /** Batches that are sent when the turn of the event loop ends. */
  private batches: ReadBatch[] = [];

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly worked: (time: Omit<StatementTime, 'connections'>) => number,
  ) {
    if (settings.keepOpen) this.reopen();
  }

  /**
   * Lets `queue` send on the connection. It must queue all its statements before its first await.
   * @param customers whose work it is; if it fails, it is nobody's, as it may have waited for the lock of one of them
   */
  async send<T>(queue: (client: Client) => Promise<T>, customers: readonly string[] = []): Promise<T> {
    const begunAt = this.begin();
    const attempt = async () => queue(this.client ?? (await this.connect()));
    try {
      const result = await attempt().catch((error: unknown) => {
        if (!isUnknownStatement(error)) throw error;
        return attempt();
      });
      const ms = performance.now() - Math.max(begunAt, this.busyUntil);
      if (customers.length > 0) this.worked({ customers, bytes: customers.map(() => 0), ms });
      return result;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      this.finish(begunAt);
      this.busyUntil = this.repliedAt;
    }
  }

  /** Whether it cannot be opened at present: another attempt is for its timer, or a little later, and not for each request. */
  get isDown(): boolean {
    if (this.failedAt === undefined) return false;
    return this.settings.keepOpen === true || performance.now() - this.failedAt < REOPEN_MS;
  }

  nextBatch(): ReadBatch {
    const last = this.batches.at(-1);
    if (last && !last.isFull) return last;
    if (!last) setImmediate(() => void this.sendBatches());
    const batch = new ReadBatch(this);
    this.batches.push(batch);
    return batch;
  }

  /**
   * How long a statement that is sent now may have to wait, according to the replies or their absence; in milliseconds.
   */
  queueDelayMs(): number {
    return this.load === 0 ? 0 : Math.max(this.latestMs, performance.now() - this.repliedAt);
  }

  async end(): Promise<void> {
    this.ended = true;
    if (this.client && this.socket) await this.close(this.client, this.socket);
  }

  /** Counts what is sent. @returns the time, to be given to {@link finish} when it was answered */
  begin(): number {
    const begunAt = performance.now();
    if (this.load++ === 0) this.repliedAt = begunAt;
    return begunAt;
  }

  finish(begunAt: number): void {
    this.load--;
    this.repliedAt = performance.now();
    this.latestMs = this.repliedAt - begunAt;
  }

  answered(customers: readonly string[], bytes: readonly number[], sentAt: number): number {
    const now = performance.now();
    const ms = now - Math.max(sentAt, this.busyUntil);
    this.busyUntil = now;
    return this.worked({ customers, bytes, ms });
  }

  failed(customerId: string | undefined, sentAt: number): void {
    if (customerId === undefined) this.busyUntil = performance.now();
    else this.answered([customerId], [0], sentAt);
  }

  private async sendBatches(): Promise<void> {
    const { batches } = this;
    this.batches = [];
    try {
      const client = this.client ?? (await this.connect());
      // The driver writes a statement in several parts: all leave in one go.
      this.socket?.cork();
      for (const batch of batches) {
        batch.onLost = () => this.forget(client);
        client.query(batch);
        client.query('commit', () => undefined);
      }
      this.socket?.uncork();
    } catch (error) {
      for (const batch of batches) batch.fail(error);
    }
  }

  /** The server announces that it closes a connection; nothing new is sent on it from then on. */
  private forget(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    if (this.settings.keepOpen) setTimeout(() => this.reopen(), REOPEN_MS).unref();
  }

  private reopen(): void {
    if (this.ended || this.client) return;
    this.connect().catch(() => setTimeout(() => this.reopen(), REOPEN_MS).unref());
  }

  private connect(): Promise<Client> {
    if (this.ended) return Promise.reject(new DatabaseUnavailableError());
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  private async open(): Promise<Client> {
    const socket = new Socket();
    const client = new Client({ ...this.settings, pipeline: true, stream: () => socket });
    countRefusals(client);
    const forget = () => this.forget(client);
    // The driver rejects pending statements; the next send opens a new connection.
    client.on('error', forget);
    client.on('end', forget);
    let isReadOnly: boolean | undefined;
    try {
      await client.connect();
      isReadOnly = (await client.query<{ isReadOnly: boolean }>(OPENING)).rows[0]?.isReadOnly;
    } catch (error) {
      // Connected, and of no use.
      socket.destroy();
      this.failedAt = performance.now();
      throw error;
    }
    this.failedAt = undefined;
    this.client = client;
    this.socket = socket;
    if (isReadOnly) setTimeout(() => this.replace(client, socket), READ_ONLY_MS).unref();
    // Closed while it connected.
    if (this.ended) await client.end();
    return client;
  }

  /** Opens another connection for all that is sent from now on. */
  private replace(client: Client, socket: Socket): void {
    if (this.client !== client) return;
    this.forget(client);
    void this.close(client, socket);
  }

  /** Closes a connection; pending statements are answered first, unless the server is silent. */
  private async close(client: Client, socket: Socket): Promise<void> {
    const answered = this.load > 0 ? (this.settings.query_timeout ?? 0) : 0;
    const timer = setTimeout(() => socket.destroy(), answered + CLOSE_TIMEOUT_MS);
    await client.end();
    clearTimeout(timer);
  }
}

/**
 * A few connections shared by all requests. Statements that are sent together stay together on their connection and do
 * not wait for replies to earlier ones, so a secured transaction costs about one round trip.
 */
@Injectable()
export class PipelinedConnectionsService implements OnApplicationShutdown {
  private readonly connections: PipelinedConnection[];
  private readerOfTurn?: PipelinedConnection;

  constructor(@Inject(PIPELINE_SETTINGS) { client, size, times = new StatementTimes() }: PipelineSettings) {
    const worked = (time: Omit<StatementTime, 'connections'>) => times.report({ ...time, connections: size });
    this.connections = Array.from({ length: size }, () => new PipelinedConnection(client, worked));
  }

  /**
   * Runs a statement by itself. It must not depend on a customer in context, or must run with the operator's rights, as the
   * ledger's functions do. @param customers that its time is charged to, in equal parts @throws DatabaseUnavailableError
   */
  single<Row extends QueryResultRow>(
    statement: PreparedStatement,
    values: unknown[],
    customers: readonly string[] = [],
  ): Promise<Row[]> {
    return tracedStatement(statement.name, async () => {
      const query = (client: Client) => client.query<Row>({ ...statement, values });
      const { rows } = await this.leastBusy().send(query, customers);
      return rows;
    });
  }

  /** Runs a statement as a transaction of a customer. Its values are those of `$2` and the following. @throws DatabaseUnavailableError */
  async write<Row>(customerId: string, { statement, values }: CustomerStatement<Row>): Promise<Row[]> {
    const named = { statement, values: [customerId, ...values] };
    return tracedStatement(statement.name, () =>
      this.leastBusy().send((client) => transactOnShared(client, customerId, named)),
    );
  }

  /**
   * The batch that takes the reads of this turn of the event loop. All go to one connection: split over several they would
   * need as many messages.
   */
  batch(): ReadBatch {
    if (!this.readerOfTurn) {
      this.readerOfTurn = this.leastBusy();
      setImmediate(() => (this.readerOfTurn = undefined));
    }
    return this.readerOfTurn.nextBatch();
  }

  /** How long a statement that is sent now has to wait at least, in milliseconds: on the best connection. */
  queueDelayMs(): number {
    const usable = this.connections.filter(({ isDown }) => !isDown);
    const delays = (usable.length > 0 ? usable : this.connections).map((connection) => connection.queueDelayMs());
    return Math.min(...delays);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.end()));
  }

  /** Of those that can be used, if any can: one that fails at once is never busy. */
  private leastBusy(): PipelinedConnection {
    let best = this.connections[0] as PipelinedConnection;
    for (const next of this.connections)
      if (next.isDown === best.isDown ? next.load < best.load : best.isDown) best = next;
    return best;
  }
}
