import { Inject, Injectable } from '@nestjs/common';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import { JobMetrics } from './job-metrics';
import { JobQueue } from './job-queue.service';

/** Work that is done again and again, by one worker at a time however many there are. */
export interface Job {
  /** Such as `ai.roll-months-over`. */
  name: string;
  /** From the end of a run to the beginning of the next. */
  everyMs: number;
  /** Longest a run may take; then its signal ends it and another may begin. */
  leaseMs: number;
  /** Does the work; must be safe to repeat. Ends early when the signal says that the process stops. */
  run(signal: AbortSignal): Promise<void>;
}

/** How often a worker looks whether a job is due, in parts of the job's own interval, at least and at most. */
const LOOKS_PER_INTERVAL = 4;
const LOOK_AT_LEAST_EVERY_MS = 500;
const LOOK_AT_MOST_EVERY_MS = 5_000;

/** Runs the jobs that domains register before the worker has started. Each schedules its own next run. */
@Injectable()
export class JobRunner {
  constructor(
    private readonly queue: JobQueue,
    private readonly metrics: JobMetrics,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /** Adds a job. */
  register(job: Job): void {
    const { name, everyMs, leaseMs } = job;
    this.metrics.recurs(name);
    this.queue.register({
      name,
      concurrency: 1,
      lookEveryMs: Math.min(Math.max(everyMs / LOOKS_PER_INTERVAL, LOOK_AT_LEAST_EVERY_MS), LOOK_AT_MOST_EVERY_MS),
      deadlineMs: leaseMs,
      unique: 'waiting',
      first: { key: '' },
      handle: (_, signal) => this.runOnce(job, signal),
    });
  }

  private async runOnce(job: Job, signal: AbortSignal): Promise<void> {
    const { name, everyMs } = job;
    const fault = await job.run(signal).then(
      () => (signal.aborted ? (signal.reason as unknown) : undefined),
      (error: unknown) => (signal.aborted ? (signal.reason as unknown) : error),
    );
    if (fault === undefined) {
      this.metrics.succeeded(name);
    } else if (!signal.aborted || isTimeout(fault)) {
      this.metrics.failed(name);
      this.logger.error({ err: fault, job: name }, 'job failed');
    }
    // A run that was cut short is taken up by another worker at once.
    await this.queue.enqueue(name, [{ key: '', delaySeconds: signal.aborted ? 0 : everyMs / 1000 }]);
  }
}

/** Whether a run was ended because it took longer than it may, not because its worker stops or it was given to another. */
function isTimeout(reason: unknown): boolean {
  return Error.isError(reason) && reason.name === 'TimeoutError';
}
