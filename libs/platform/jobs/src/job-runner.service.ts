import { Injectable, Logger } from '@nestjs/common';
import { JobMetrics } from './job-metrics';
import { JobQueueService } from './job-queue.service';

/** A recurring job. One worker runs it at a time. */
export interface Job {
  /** Such as `ai.roll-months-over`. */
  name: string;
  /** Pause from the end of a run to the start of the next. */
  everyMs: number;
  /** Maximum duration of a run; then its signal aborts and another run may begin. */
  leaseMs: number;
  /** Runs the job; must be idempotent. Ends early when the signal aborts because the worker stops. */
  run(signal: AbortSignal): Promise<void>;
}

/** How often a worker polls, per interval of the job, with a minimum and a maximum. */
const LOOKS_PER_INTERVAL = 4;
const LOOK_AT_LEAST_EVERY_MS = 500;
const LOOK_AT_MOST_EVERY_MS = 5_000;

/** Runs the jobs that domains register before the worker has started. Each schedules its own next run. */
@Injectable()
export class JobRunnerService {
  private readonly logger = new Logger(JobRunnerService.name);
  constructor(
    private readonly queue: JobQueueService,
    private readonly metrics: JobMetrics,
  ) {}

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
      delayMs: everyMs,
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
      this.logger.error({ msg: 'job failed', err: fault, job: name });
    }
    // Another worker continues an interrupted run at once.
    await this.queue.enqueue(name, [{ key: '', delaySeconds: signal.aborted ? 0 : everyMs / 1000 }]);
  }
}

/** Whether a run was ended because it took longer than it may, not because its worker stops or it was given to another. */
function isTimeout(reason: unknown): boolean {
  return Error.isError(reason) && reason.name === 'TimeoutError';
}
