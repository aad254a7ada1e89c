import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RootLogger } from '@platform/logging';

/**
 * Longer than this without an answer, and the connection counts as lost: what hangs keeps its connections open. Only what
 * is asked until then waits for it. Long enough for this process to be busy with something else meanwhile.
 */
const PATIENCE_MS = 1000;
/** How long a starting process waits for its first connection: what it counts before is not shared. */
const START_PATIENCE_MS = 1000;

/** A connection to Redis or Valkey that fails at once while the server is away, and says in the log when it goes and comes. */
export class SharedRedis {
  readonly client: Redis;
  private away = false;
  private stopped = false;

  constructor(
    url: string,
    private readonly logger: RootLogger,
  ) {
    this.client = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: PATIENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    this.client.on('error', (error: Error) => this.lost(error));
    // A server that ends politely raises no error.
    this.client.on('close', () => this.lost(new Error('Redis closed the connection')));
    this.client.on('ready', () => this.found());
  }

  /** Whether the server answers, as far as is known. */
  get ready(): boolean {
    return this.client.status === 'ready';
  }

  /** Waits for the first connection, but not for long. */
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
    this.logger.warn({ err: error }, 'Redis is away; rate limits are counted per process until it is back');
  }

  private found(): void {
    if (this.away) this.logger.info('Redis is back; rate limits are shared again');
    this.away = false;
  }
}
