import type { Duplex } from 'node:stream';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { BatchingSocket } from './batching-socket';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isNoReply,
  isUnknownStatement,
} from '../errors/database-errors';
import type { ConnectionSettings } from './connection-settings';
import { GOODBYE_MS } from './deadline-client';
import type { PreparedStatement } from './prepared-statement';
import { ReadQueue, reportPreparedStatements } from '../reads/read-queue';
import { type ReadRow, type ReadValue, toWire } from '../reads/scoped-read';

/** Pause before a connection that is to be kept is opened again. */
const REOPEN_MS = 250;

/** One connection that connects when first used, or when it is made if it is to be kept, and again after it was lost. */
export class PipelinedConnection {
  /** Sends under way. */
  load = 0;
  /** How long the latest reply took, and when it came. */
  private latestMs = 0;
  private repliedAt = performance.now();
  private client?: Client;
  private connecting?: Promise<Client>;
  private ended = false;
  private readonly reads = new ReadQueue(
    () => this.client ?? this.connect(),
    (client) => this.forget(client),
  );

  constructor(private readonly settings: ConnectionSettings) {
    if (settings.keepOpen) this.reopen();
  }

  /** Lets `queue` send on the connection. It must queue all its statements before it first awaits. */
  async send<Row extends QueryResultRow>(queue: (client: Client) => Promise<QueryResult<Row>>): Promise<Row[]> {
    const sentAt = this.begin();
    try {
      const attempt = async () => {
        const client = this.client ?? (await this.connect());
        try {
          return await queue(client);
        } catch (error) {
          if (isNoReply(error)) this.abandon(client);
          throw error;
        }
      };
      const { rows } = await attempt().catch((error: unknown) => {
        if (!isUnknownStatement(error)) throw error;
        return attempt();
      });
      return rows;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      this.finish(sentAt);
    }
  }

  /** Reads as one customer, together with whoever else reads in this turn of the event loop. */
  read(customerId: string, statement: PreparedStatement, values: readonly ReadValue[]): Promise<ReadRow[]> {
    const sentAt = this.begin();
    return new Promise((resolve, reject) => {
      this.reads.add({
        customerId,
        statement,
        values: toWire(values),
        repeats: 0,
        resolve: (rows) => {
          this.finish(sentAt);
          resolve(rows);
        },
        reject: (error) => {
          this.finish(sentAt);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is what the driver rejected with
          reject(asUnavailable(error));
        },
      });
    });
  }

  /** How long what is sent now may have to wait, as far as the replies tell, or their absence; in milliseconds. */
  waitedMs(): number {
    return this.load === 0 ? 0 : Math.max(this.latestMs, performance.now() - this.repliedAt);
  }

  /** Closes the connection; what is under way is answered first, unless the server is silent. */
  async end(): Promise<void> {
    this.ended = true;
    const { client } = this;
    if (!client) return;
    const answered = this.load > 0 ? (this.settings.query_timeout ?? 0) : 0;
    const timer = setTimeout(() => this.abandon(client), answered + GOODBYE_MS);
    await client.end();
    clearTimeout(timer);
  }

  private begin(): number {
    const now = performance.now();
    if (this.load++ === 0) this.repliedAt = now;
    return now;
  }

  private finish(sentAt: number): void {
    this.load--;
    this.repliedAt = performance.now();
    this.latestMs = this.repliedAt - sentAt;
  }

  /** The server says that it ends a connection before it does; nothing new is sent on it meanwhile. */
  private forget(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    if (this.settings.keepOpen) setTimeout(() => this.reopen(), REOPEN_MS).unref();
  }

  private reopen(): void {
    if (this.ended || this.client) return;
    this.connect().catch(() => setTimeout(() => this.reopen(), REOPEN_MS).unref());
  }

  /** The server may have vanished without a word: what follows on this connection would wait in vain, too. */
  private abandon(client: Client): void {
    this.forget(client);
    (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  }

  private connect(): Promise<Client> {
    if (this.ended) return Promise.reject(new DatabaseUnavailableError());
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  private async open(): Promise<Client> {
    const client = new Client({ ...this.settings, pipeline: true, stream: () => new BatchingSocket() });
    const forget = () => this.forget(client);
    // What was under way is rejected by the driver; the next send opens a new connection.
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    reportPreparedStatements(client);
    this.client = client;
    // Ended while it connected.
    if (this.ended) await client.end();
    return client;
  }
}

function asUnavailable(error: unknown): unknown {
  return isDatabaseUnavailable(error) ? new DatabaseUnavailableError(error) : error;
}
