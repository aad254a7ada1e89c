import { Injectable, type OnModuleInit } from '@nestjs/common';
import { endpointOfRun, FAILING_RUNS, WEBHOOK_RUNS, WebhookQueueService, WebhookRunsService } from '@domains/events';
import { AppConfig } from '@platform/config';
import { eachIndependently } from '@platform/database';
import { JobQueueService, JobRunnerService } from '@platform/jobs';

const SECOND = 1_000;

/** Delivers events to webhook endpoints: a run for each endpoint with something due, in one queue. */
@Injectable()
export class WebhookJobs implements OnModuleInit {
  constructor(
    private readonly runner: JobRunnerService,
    private readonly queue: JobQueueService,
    private readonly runs: WebhookRunsService,
    private readonly due: WebhookQueueService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.queue.register({
      name: WEBHOOK_RUNS,
      concurrency: this.config.WEBHOOK_CONCURRENCY,
      group: { name: FAILING_RUNS, concurrency: this.config.WEBHOOK_FAILING_CONCURRENCY },
      lookEveryMs: SECOND / 2,
      // A run begins no delivery after ten seconds; the last one may take its whole time, and the database some.
      deadlineMs: 30 * SECOND + 2 * this.config.WEBHOOK_TIMEOUT_MS,
      unique: 'waiting-or-running',
      handle: (key, signal) => this.runs.run(endpointOfRun(key), signal),
    });
    this.runner.register({
      name: 'webhooks.queue-due',
      everyMs: SECOND,
      leaseMs: 30 * SECOND,
      run: async () => {
        await this.queue.enqueue(WEBHOOK_RUNS, await this.due.findDue());
      },
    });
    this.runner.register({
      name: 'webhooks.measure-queues',
      everyMs: 5 * SECOND,
      leaseMs: 30 * SECOND,
      run: (signal) => {
        const works = [() => this.due.markFull(), () => this.due.missStopped(signal)];
        return eachIndependently(works, (work) => work(), signal);
      },
    });
  }
}
