import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { PgBoss } from 'pg-boss';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { NotMigratedError } from '@platform/database';
import { createWorkerBoss } from './boss';
import { JobMetrics } from './job-metrics';
import { endedWithin, QueueConsumer, type QueueItem, type WorkQueue } from './queue-consumer';
import { WorkerLoop } from './worker-loop';

/**
 * Seconds without a heartbeat after which a worker's items are given to another one. pg-boss allows no less than 10.
 */
const HEARTBEAT_SECONDS = 12;
const RETRY_SECONDS = 5;
/** How long finished items are kept, in seconds. */
const KEEP_SECONDS = 600;
/** Maximum number of attempts: an item is retried until it succeeds. */
const ALWAYS = 1_000_000;
/** Seconds after its deadline after which an item is taken from a worker that is alive but does not end it. */
const AFTER_DEADLINE_SECONDS = 30;
/** pg-boss allows no more: an item with a later deadline is taken from its worker after a day. */
const MOST_SECONDS = 86_400;

/** The last part of the grace, in which pg-boss closes its connections though the database says nothing. */
const STOP_BOSS_MS = 2_000;

/**
 * Items of these queues ($1) that are due and have not begun: pg-boss's states before `active`. Those of other queues wait for another
 * release, or for a setting.
 */
const WAITING = `
  select name as queue, count(*)::int as waiting, extract(epoch from now() - min(start_after))::float8 as oldest
  from pgboss.job where name = any($1) and state < 'active' and start_after <= now() group by name`;

/** How often it is looked for times that lie in the future without a reason. */
const LOOK_AT_TIMES_MS = 60_000;
/**
 * When the database's clock was ahead and has been set back, what it dated lies in the future, and nothing would happen until then: items
 * of these queues due later than any can be ($2, in seconds), signs of life of workers that died, and the turns of pg-boss's own work.
 */
const TIMES_AHEAD = [
  `update pgboss.job j set start_after = now() from unnest($1::text[], $2::float8[]) q (name, latest)
   where j.name = q.name and j.state < 'active' and j.start_after > now() + q.latest * interval '1 second'`,
  `update pgboss.job j set heartbeat_on = now() from unnest($1::text[], $2::float8[]) q (name, latest)
   where j.name = q.name and j.state = 'active' and j.heartbeat_on > now()`,
  `update pgboss.queue t
   set monitor_claim_on = least(t.monitor_claim_on, now()), monitor_on = least(t.monitor_on, now()), maintain_on = least(t.maintain_on, now())
   from unnest($1::text[], $2::float8[]) q (name, latest)
   where t.name = q.name and (t.monitor_claim_on > now() or t.maintain_on > now())`,
];

/** Those of these queues ($1) that have no item. */
const EMPTY = `
  select name from unnest($1::text[]) q (name)
  where not exists (select from pgboss.job j where j.name = q.name and j.state < 'completed')`;

/** The items of a queue that are due and have not begun. */
interface WaitingItems {
  queue: string;
  waiting: number;
  /** How long the oldest of them has been due, in seconds. */
  oldest: number;
}

/** Queues of work in the database, shared by all workers (pg-boss). */
@Injectable()
export class JobQueueService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(JobQueueService.name);
  private readonly boss: PgBoss;
  private readonly queues: WorkQueue[] = [];
  private consumers: QueueConsumer[] = [];
  /** Also of a worker that runs: nobody need restart it after the clock was set back. */
  private readonly times = new WorkerLoop({
    everyMs: LOOK_AT_TIMES_MS,
    run: () => this.mendTimes(),
    failed: (error) => this.logger.warn({ msg: 'the times of the job queue could not be looked at', err: error }),
  });

  constructor(
    private readonly config: AppConfig,
    private readonly metrics: JobMetrics,
    private readonly dataSource: DataSource,
  ) {
    this.boss = createWorkerBoss(config);
    this.boss.on('error', (error) => this.logger.warn({ msg: 'the job queue has trouble', err: error }));
    this.boss.on('warning', (warning) => this.logger.warn({ msg: 'the job queue warns', warning }));
  }

  /** Adds a queue. Call it before the application has started. */
  register(queue: WorkQueue): void {
    this.queues.push(queue);
  }

  /** Adds items to a queue; existing items with the same key stay unchanged. @returns keys of the added items */
  async enqueue(name: string, items: readonly QueueItem[]): Promise<string[]> {
    if (items.length === 0) return [];
    const keys = new Map(items.map(({ key }) => [randomUUID() as string, key]));
    const ids = [...keys.keys()];
    const jobs = items.map(({ key, group, delaySeconds = 0 }, index) => ({
      id: ids[index] as string,
      singletonKey: key,
      data: { key },
      ...(group !== undefined && { group: { id: group } }),
      // A delay instead of a time: the database adds it to its own clock.
      startAfter: `${delaySeconds} seconds`,
    }));
    const put = (await this.boss.insert(name, jobs, { returnId: true })) ?? [];
    return put.map((id) => keys.get(id) as string);
  }

  /** Names of the queues that this worker should have polled by now. */
  overdue(): string[] {
    return this.consumers.filter((consumer) => consumer.isOverdue()).map(({ name }) => name);
  }

  /** What waits for all workers in the queues that this one serves; queues in which nothing does are left out. */
  waiting(): Promise<WaitingItems[]> {
    return this.dataSource.query<WaitingItems[]>(WAITING, [this.names]);
  }

  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.boss.start();
    } catch (error) {
      throw error instanceof Error && error.message.includes('pg-boss is not installed')
        ? new NotMigratedError()
        : error;
    }
    for (const queue of this.queues) {
      await this.prepare(queue);
      await this.addFirst(queue);
      this.metrics.show(queue.name);
      this.consumers.push(new QueueConsumer(this.boss, queue, () => this.metrics.failed(queue.name)));
    }
    for (const consumer of this.consumers) consumer.start();
    this.times.start();
  }

  async onModuleDestroy(): Promise<void> {
    const withinMs = Math.max(0, this.config.SHUTDOWN_GRACE_MS - STOP_BOSS_MS);
    await Promise.all([this.times.stop(), ...this.consumers.map((consumer) => consumer.stop(withinMs))]);
    this.consumers = [];
    await endedWithin(this.boss.stop({ graceful: false }), STOP_BOSS_MS);
  }

  private get names(): string[] {
    return this.queues.map(({ name }) => name);
  }

  private async mendTimes(): Promise<void> {
    const latest = this.queues.map(({ delayMs = 0 }) => Math.max(delayMs / 1000, RETRY_SECONDS));
    for (const statement of TIMES_AHEAD) await this.dataSource.query(statement, [this.names, latest]);
    // When the clock went ahead by weeks, pg-boss may have deleted the only item of a recurring job as one that nobody took.
    const empty = await this.dataSource.query<{ name: string }[]>(EMPTY, [this.names]);
    for (const { name } of empty) await this.addFirst(this.queues.find((queue) => queue.name === name));
  }

  private async addFirst(queue?: WorkQueue): Promise<void> {
    if (queue?.first) await this.enqueue(queue.name, [queue.first]);
  }

  private async prepare({ name, unique, deadlineMs }: WorkQueue): Promise<void> {
    const settings = {
      expireInSeconds: Math.min(Math.ceil(deadlineMs / 1000) + AFTER_DEADLINE_SECONDS, MOST_SECONDS),
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: ALWAYS,
      retryDelay: RETRY_SECONDS,
      deleteAfterSeconds: KEEP_SECONDS,
    };
    await this.boss.createQueue(name, { ...settings, policy: unique === 'waiting' ? 'stately' : 'exclusive' });
    // An earlier version may have created it with other settings.
    await this.boss.updateQueue(name, settings);
  }
}
