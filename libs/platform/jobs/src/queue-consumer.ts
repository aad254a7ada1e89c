import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchOptions, PgBoss } from 'pg-boss';
import { traced } from '@platform/tracing';

/** An item of work. It contains only a key: the data is in the domain's tables. */
export interface QueueItem {
  /** Unique within the queue; the empty text in a queue with one item. */
  key: string;
  /** Seconds from now, by the database's clock, until the item may be fetched. Default 0. */
  delaySeconds?: number;
  /** Items of the queue's group are bounded together ({@link WorkQueue.group}). Default: not in it. */
  group?: string;
}

/** A queue with its handler. Any number of workers share it; one worker has an item at a time. */
export interface WorkQueue {
  /** Such as `invoices.sync-stripe`. */
  name: string;
  /** Number of items that one worker processes at a time. */
  concurrency: number;
  /** Items with this group's name, and the number of them that all workers together process at a time. They hold up no others. */
  group?: { name: string; concurrency: number };
  /** Milliseconds between two polls of a worker with free slots. At least 500. */
  lookEveryMs: number;
  /** Maximum duration of an item. Then its signal aborts, and a little later another worker gets it. */
  deadlineMs: number;
  /**
   * When an item with an existing key is refused: `waiting` allows one that waits beside one that runs,
   * `waiting-or-running` does not.
   */
  unique: 'waiting' | 'waiting-or-running';
  /** An item that is added when a worker starts, unless it exists, and later when the queue has none. */
  first?: QueueItem;
  /** The longest delay that an item is added with, in milliseconds; default: none. */
  delayMs?: number;
  /**
   * Processes an item; must be idempotent. The signal aborts when the worker stops, the deadline has passed, or another
   * worker got the item. An error is logged, and the item is retried a few seconds later.
   */
  handle(key: string, signal: AbortSignal): Promise<void>;
}

/** Heartbeat interval. The database gives a worker up after HEARTBEAT_SECONDS. */
const TOUCH_EVERY_MS = 4_000;
/** How late a poll may be, besides the time that work takes, before the queue counts as overdue. */
const LATE_MS = 30_000;

/** An item with the number of its attempt: results of an attempt that lost the item are ignored. */
interface Fetched {
  id: string;
  retryCount: number;
  data: { key: string };
}

/**
 * Fetches items from one queue whenever it has a free slot. pg-boss's own workers either wait for all items of a batch, or
 * poll each by itself and begin one item per poll (docs/decisions/jobs.md).
 */
export class QueueConsumer {
  private readonly logger = new Logger(QueueConsumer.name);
  private readonly stopping = new AbortController();
  private readonly active = new Map<Fetched, AbortController>();
  private readonly work = new Set<Promise<void>>();
  private wake = Promise.withResolvers<void>();
  private lookedAt = performance.now();
  private heartbeat: NodeJS.Timeout | undefined;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly boss: PgBoss,
    private readonly queue: WorkQueue,
    /** Called for every item that failed. */
    private readonly onFailure: () => void,
  ) {}

  get name(): string {
    return this.queue.name;
  }

  start(): void {
    this.lookedAt = performance.now();
    this.heartbeat = setInterval(() => void this.extendLease(), TOUCH_EVERY_MS);
    this.loop = this.run();
  }

  /** Whether it should have polled by now, and did not because of the database or because its items do not end. */
  isOverdue(): boolean {
    const { lookEveryMs, deadlineMs } = this.queue;
    return performance.now() - this.lookedAt > lookEveryMs + deadlineMs + LATE_MS;
  }

  /** Stops fetching, aborts the items in progress, and waits for them. */
  async stop(withinMs: number): Promise<void> {
    this.stopping.abort();
    this.wake.resolve();
    // Items that do not end are left to another worker: without a heartbeat from here it gets them. A poll may be in progress,
    // too, and the database silent.
    const ended = Promise.resolve(this.loop).then(() => Promise.all(this.work));
    await endedWithin(ended, withinMs);
    clearInterval(this.heartbeat);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const places = this.queue.concurrency - this.active.size;
      const found = places > 0 ? await this.look(places) : 0;
      // More may be waiting: poll again as soon as a slot is free.
      if (places > 0 && found === places) continue;
      await this.pause(places > 0 ? this.queue.lookEveryMs : undefined);
    }
  }

  private async look(places: number): Promise<number> {
    try {
      const { group } = this.queue;
      let found = await this.fetch(places, group && { groupConcurrency: group.concurrency });
      // pg-boss takes the oldest ones before it leaves out those that the group has no place for.
      if (group && found < places) found += await this.fetch(places - found, { ignoreGroups: [group.name] });
      return found;
    } catch (error) {
      this.logger.warn({ msg: 'the queue could not be looked at', err: error, queue: this.queue.name });
      return 0;
    }
  }

  /** Begins up to so many items. @returns their number */
  private async fetch(batchSize: number, bounds: FetchOptions = {}): Promise<number> {
    const jobs = (await this.boss.fetch<{ key: string }>(this.queue.name, { batchSize, ...bounds })) as Fetched[];
    this.lookedAt = performance.now();
    for (const job of jobs) this.begin(job);
    return jobs.length;
  }

  /** Waits until a slot is free, or for `ms`, or until the worker stops. */
  private async pause(ms: number | undefined): Promise<void> {
    if (ms === undefined) return this.wake.promise;
    // Removes its listener: a worker pauses for as long as it runs.
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private begin(job: Fetched): void {
    const lost = new AbortController();
    this.active.set(job, lost);
    const work = this.handle(job, lost.signal).finally(() => {
      this.active.delete(job);
      this.work.delete(work);
      const woken = this.wake;
      this.wake = Promise.withResolvers();
      woken.resolve();
    });
    this.work.add(work);
  }

  private async handle(job: Fetched, lost: AbortSignal): Promise<void> {
    const { name, deadlineMs } = this.queue;
    const signal = AbortSignal.any([this.stopping.signal, lost, AbortSignal.timeout(deadlineMs)]);
    try {
      try {
        await traced({ name, kind: 'consumer', attributes: { 'job.name': name } }, () =>
          this.queue.handle(job.data.key, signal),
        );
      } catch (error) {
        this.onFailure();
        this.logger.error({ msg: 'job failed', err: error, queue: name, item: job.data.key });
        await this.boss.fail(name, job, { message: error instanceof Error ? error.message : String(error) });
        return;
      }
      await this.boss.complete(name, job);
    } catch (error) {
      // Without a heartbeat from here the item is given to another worker, or again to this one.
      this.logger.warn({ msg: 'the end of a job could not be stored', err: error, queue: name });
    }
  }

  /** Tells the database that the items are being worked on, and aborts those that it has given away. */
  private async extendLease(): Promise<void> {
    try {
      await Promise.all(
        // One by one: this worker may have a lost item and its next attempt at a time, and pg-boss answers a list with ids.
        Array.from(this.active, async ([job, lost]) => {
          // pg-boss returns the count; its types leave it out.
          const { affected } = (await this.boss.touch(this.queue.name, job)) as { affected?: number };
          if (affected === 0) lost.abort();
        }),
      );
    } catch (error) {
      this.logger.warn({ msg: 'a sign of life could not be given', err: error, queue: this.queue.name });
    }
  }
}

/** Waits for work to end, but no longer than that. @throws errors of the work until then */
export async function endedWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
