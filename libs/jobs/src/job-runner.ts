import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ROOT_LOGGER, type RootLogger } from '@app/logging';

/** Work that is done again and again, by one worker at a time however many there are. */
export interface Job {
  /** Such as `ai.resolve-stale-holds`. */
  name: string;
  everyMs: number;
  /** Longest a run may take; then another worker may start one. */
  leaseMs: number;
  /** Does the work; must be safe to repeat. Ends early when the signal says that the process stops. */
  run(signal: AbortSignal): Promise<void>;
}

/** How often a worker looks whether a job is due, in parts of the job's own interval, and at most. */
const LOOKS_PER_INTERVAL = 4;
const LOOK_AT_MOST_EVERY_MS = 30_000;
/** How far behind a look may be, beyond the run that it may have led to, before something is wrong. */
const LATE_MS = 30_000;

/** Runs the jobs that rooms register before the worker has started. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs: Job[] = [];
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  private readonly lookedAt = new Map<string, number>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /** Adds a job. */
  register(job: Job): void {
    this.jobs.push(job);
  }

  onApplicationBootstrap(): void {
    for (const job of this.jobs) {
      this.lookedAt.set(job.name, performance.now());
      this.look(job);
    }
  }

  /** Names of the jobs that this worker should have looked at by now and has not, for want of a database or of an end. */
  overdue(): string[] {
    const now = performance.now();
    const isLate = (job: Job) => now - (this.lookedAt.get(job.name) ?? now) > pauseOf(job) + job.leaseMs + LATE_MS;
    return this.jobs.filter(isLate).map(({ name }) => name);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.running);
  }

  /** Runs a job now if it is due and nobody else is at it. @returns whether it ran. A failed run is logged and kept. */
  async runIfDue(job: Job): Promise<boolean> {
    const lease = await this.claim(job);
    if (!lease) return false;
    let failure: string | null = null;
    try {
      await job.run(this.stopping.signal);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      this.logger.error({ err: error, job: job.name }, 'job failed');
    }
    const now = new Date();
    await this.dataSource.query(
      // Only while the lease is ours: a run that outlived it must not end the one that came after.
      `update scheduled_job set due_at = $2, locked_until = null, last_finished_at = $3, last_error = $4
       where name = $1 and locked_until = $5`,
      [job.name, new Date(now.getTime() + job.everyMs), now, failure, lease],
    );
    return true;
  }

  /** @returns until when the job is this worker's; nothing when it is not due or another's. */
  private async claim({ name, leaseMs }: Job): Promise<Date | undefined> {
    const now = new Date();
    const until = new Date(now.getTime() + leaseMs);
    await this.dataSource.query(
      `insert into scheduled_job (name, due_at) values ($1, $2) on conflict (name) do nothing`,
      [name, now],
    );
    const [claimed] = await this.dataSource.query<[unknown[], number]>(
      `update scheduled_job set locked_until = $2, last_started_at = $3
       where name = $1 and due_at <= $3 and (locked_until is null or locked_until < $3) returning name`,
      [name, until, now],
    );
    return claimed.length > 0 ? until : undefined;
  }

  private look(job: Job): void {
    const attempt = this.runIfDue(job)
      .then(() => this.lookedAt.set(job.name, performance.now()))
      .catch((error: unknown) => this.logger.warn({ err: error, job: job.name }, 'job could not be looked at'))
      .finally(() => {
        this.running.delete(attempt);
        if (this.stopping.signal.aborted) return;
        this.timers.set(
          job.name,
          setTimeout(() => this.look(job), pauseOf(job)),
        );
      });
    this.running.add(attempt);
  }
}

function pauseOf({ everyMs }: Job): number {
  return Math.min(everyMs / LOOKS_PER_INTERVAL, LOOK_AT_MOST_EVERY_MS);
}
