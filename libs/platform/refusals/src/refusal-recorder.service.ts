import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { NO_CUSTOMER } from '@platform/context';
import { isTransientFailure, PipelinedConnectionsService, prepared, retryTransient } from '@platform/database';
import type { RefusedRequest } from './entities/refused-request.entity';

const WRITE_EVERY_MS = 1000;
const RETRY_MS = 250;
/** How long the last write is retried at shutdown. */
const SHUTDOWN_RETRY_MS = 2000;
const MINUTE_MS = 60_000;
/** Refused requests that are kept a minute: of one customer or one network, of all networks without a customer, and of all. */
const MOST_A_MINUTE = { ofOne: 20, unknown: 60, all: 300 };
/** Requests that wait to be stored, while the database is away: above it further ones are not kept. */
const CAPACITY = 2000;
/** Characters of a text that are kept. */
const LONGEST_TEXT = 500;

const KEEP = prepared('refusals.keep', 'select app.keep_refused_requests($1)');

/** A request that was answered with an error; `customerId` is undefined if it had no valid token. */
export type Refusal = Pick<RefusedRequest, 'requestId' | 'network' | 'method' | 'status' | 'durationMs'> &
  Partial<
    Record<'customerId' | 'tokenId' | 'fingerprint' | 'route' | 'code' | 'detail' | 'upstream', string | undefined>
  >;

/**
 * Keeps refused requests for the operator, off the requests' way: with one statement per second for all of them. The number that is
 * kept is bounded, for each customer and network and in all, so that a flood fills neither memory nor disk. What is beyond it, or
 * cannot be stored, is counted.
 */
@Injectable()
export class RefusalRecorderService implements OnApplicationShutdown {
  private readonly logger = new Logger(RefusalRecorderService.name);
  private readonly isWanted: boolean;
  private waiting: { refusal: Refusal; at: number }[] = [];
  /** Refusals of this minute by customer or network. */
  private readonly counts = new Map<string, number>();
  private total = 0;
  private unknown = 0;
  private minuteBegan = -Infinity;
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();
  /** Refused requests that were not kept since the start. */
  notKept = 0;

  constructor(
    private readonly pipeline: PipelinedConnectionsService,
    { REFUSAL_RETENTION_DAYS }: AppConfig,
  ) {
    this.isWanted = REFUSAL_RETENTION_DAYS > 0;
  }

  /** Keeps a refused request, if its customer and its network have not had too many of this minute. */
  record(refusal: Refusal): void {
    if (!this.isWanted) return;
    const now = performance.now();
    if (!this.count(refusal, now) || this.waiting.length >= CAPACITY) {
      this.notKept++;
      return;
    }
    this.waiting.push({ refusal, at: now });
    this.schedule();
  }

  /** Stores the last refusals: Nest closes the database, a global module, after all others. */
  async onApplicationShutdown(): Promise<void> {
    this.writing = this.writing
      .then(() => retryTransient(() => this.store(), { pauseMs: RETRY_MS, forMs: SHUTDOWN_RETRY_MS }))
      .catch((error: unknown) => this.giveUp(this.waiting.length, error));
    await this.writing;
    clearTimeout(this.timer);
  }

  /** @returns whether it is one of those that are kept */
  private count({ customerId, network }: Refusal, now: number): boolean {
    if (now - this.minuteBegan >= MINUTE_MS) {
      this.minuteBegan = now;
      this.counts.clear();
      this.total = this.unknown = 0;
    }
    const party = customerId ?? network;
    const count = this.counts.get(party) ?? 0;
    if (count >= MOST_A_MINUTE.ofOne || this.total >= MOST_A_MINUTE.all) return false;
    if (customerId === undefined && this.unknown++ >= MOST_A_MINUTE.unknown) return false;
    this.total++;
    this.counts.set(party, count + 1);
    return true;
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.writing = this.writing.then(() => this.write());
    }, WRITE_EVERY_MS);
  }

  private async write(): Promise<void> {
    await this.store().catch(() => this.schedule());
  }

  /**
   * Stores those that have waited longest. One that the database does not take is given up: it would be refused again and again, with all
   * others. @throws if the database is unavailable; they go on waiting
   */
  private async store(count = this.waiting.length): Promise<void> {
    if (count === 0) return;
    const now = performance.now();
    try {
      const rows = this.waiting.slice(0, count).map(({ refusal, at }) => rowOf(refusal, now - at));
      await this.pipeline.single(KEEP, [JSON.stringify(rows)]);
    } catch (error) {
      if (isTransientFailure(error)) throw error;
      if (count === 1) return this.giveUp(1, error);
      for (let left = count; left > 0; left--) await this.store(1);
      return;
    }
    this.leave(count);
  }

  private giveUp(count: number, error: unknown): void {
    this.logger.error({ msg: 'refused requests could not be kept', err: error, requests: count });
    this.notKept += count;
    this.leave(count);
  }

  /** More may have come meanwhile, behind those that leave. */
  private leave(count: number): void {
    this.waiting = this.waiting.slice(count);
  }
}

function rowOf({ customerId = NO_CUSTOMER, durationMs, ...refusal }: Refusal, ageMs: number): Record<string, unknown> {
  return {
    customer_id: customerId,
    request_id: refusal.requestId,
    token_id: refusal.tokenId,
    fingerprint: refusal.fingerprint,
    network: refusal.network,
    method: refusal.method,
    route: text(refusal.route),
    status: refusal.status,
    code: refusal.code,
    detail: text(refusal.detail),
    upstream: text(refusal.upstream),
    duration_ms: Math.round(durationMs),
    age_ms: ageMs,
  };
}

/** A text that the database takes: without NUL and half characters, which a caller may have sent. */
function text(given: string | undefined): string | undefined {
  return given?.slice(0, LONGEST_TEXT).replaceAll('\0', '\u{fffd}').toWellFormed();
}
