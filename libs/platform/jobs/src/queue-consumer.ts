import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { traced } from '@platform/tracing';
import { endedWithin } from './ended-within';
import type { WorkQueue } from './work-queue';

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
 * Fetches items from one queue whenever it has a free slot. pg-boss's own loop fetches the next batch when the last
 * item of the batch has ended, so one slow item would leave the other slots empty; here every slot is refilled by
 * itself.
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
    /** Hears of every item whose work failed. */
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
    // What does not end is left to another worker: without a sign of life from here it is given away. A look may be under
    // way, too, and the database silent.
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
      const jobs = (await this.boss.fetch<{ key: string }>(this.queue.name, { batchSize: places })) as Fetched[];
      this.lookedAt = performance.now();
      for (const job of jobs) this.begin(job);
      return jobs.length;
    } catch (error) {
      this.logger.warn({ msg: 'the queue could not be looked at', err: error, queue: this.queue.name });
      return 0;
    }
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
        this.logger.error({ msg: 'job failed', err: error, queue: name, key: job.data.key });
        await this.boss.fail(name, job, { message: error instanceof Error ? error.message : String(error) });
        return;
      }
      await this.boss.complete(name, job);
    } catch (error) {
      // Without a sign of life from here the item is given to another worker, or again to this one.
      this.logger.warn({ msg: 'the end of a job could not be stored', err: error, queue: name });
    }
  }

  private async extendLease(): Promise<void> {
    const held = [...this.active];
    try {
      await Promise.all(
        held.map(async ([job, lost]) => {
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
