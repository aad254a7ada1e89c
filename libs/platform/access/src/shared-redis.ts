import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';

/**
 * If a reply takes longer than this, the connection counts as lost. Only requests until then wait for it. Long enough
 * for a busy moment of this process.
 */
const PATIENCE_MS = 1000;
/** How long a starting process waits for its first connection: counts before that are not shared. */
const START_PATIENCE_MS = 1000;

/**
 * A connection to Redis or Valkey that fails at once while the server is unavailable, and logs when it is lost and
 * restored. A server that answers may still store nothing: its memory is full, its disk is, or it is a replica now.
 */
export class SharedRedis {
  private readonly logger = new Logger(SharedRedis.name);
  private away = false;
  private refusing = false;
  private stopped = false;

  /** Connects to a server. Loads the driver, which takes a twentieth of the time of a start, where Redis is used. */
  static async open(url: string): Promise<SharedRedis> {
    const { Redis: Driver } = await import('ioredis');
    const client = new Driver(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: PATIENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    return new SharedRedis(client);
  }

  private constructor(readonly client: Redis) {
    this.client.on('error', (error: Error) => this.lost(error));
    // A server that shuts down in an orderly way causes no error.
    this.client.on('close', () => this.lost(new Error('Redis closed the connection')));
    this.client.on('ready', () => this.found());
  }

  /** Whether the server answers and stores counts, as far as is known. */
  get ready(): boolean {
    return this.client.status === 'ready' && !this.refusing;
  }

  /** To be called when the server has stored a count. */
  stored(): void {
    if (!this.refusing) return;
    this.refusing = false;
    this.logger.log('Redis takes counts again; rate limits are shared again');
  }

  /** To be called with the error of a command. A lost connection shows by itself; an error reply is the server's refusal. */
  failed(error: unknown): void {
    if (this.refusing || !Error.isError(error) || error.name !== 'ReplyError') return;
    this.refusing = true;
    this.logger.warn({
      msg: 'Redis refuses counts; rate limits are counted per process until it takes them',
      err: error,
    });
  }

  /** Waits for the first connection, for a limited time. */
  async start(): Promise<void> {
    const connected = once(this.client, 'ready').catch(() => undefined);
    await Promise.race([connected, wait(START_PATIENCE_MS, undefined, { ref: false })]);
  }

  /** Closes the connection. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.client.quit().catch(() => this.client.disconnect());
  }

  private lost(error: Error): void {
    if (this.away || this.stopped) return;
    this.away = true;
    this.logger.warn({ msg: 'Redis is away; rate limits are counted per process until it is back', err: error });
  }

  private found(): void {
    if (this.away) this.logger.log('Redis is back; rate limits are shared again');
    this.away = false;
  }
}
