import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DueSyncsService, InvoiceSyncsService, RUN_DEADLINE_MS, type SyncLaneSettings } from '@domains/invoices';
import { JobQueueService, JobRunnerService } from '@platform/jobs';

const SECOND = 1_000;

/** Syncs invoices with the billing sources: a job for each account, in a queue for each source and lane. */
@Injectable()
export class InvoiceJobs implements OnModuleInit {
  constructor(
    private readonly runner: JobRunnerService,
    private readonly queue: JobQueueService,
    private readonly due: DueSyncsService,
    private readonly syncs: InvoiceSyncsService,
  ) {}

  onModuleInit(): void {
    const lanes = this.due.lanes();
    for (const lane of lanes) this.addQueue(lane);
    this.runner.register({
      name: 'invoices.plan-syncs',
      everyMs: 2 * SECOND,
      leaseMs: 30 * SECOND,
      run: async (signal) => {
        for (const lane of lanes) if (!signal.aborted) await this.plan(lane);
      },
    });
  }

  private addQueue(settings: SyncLaneSettings): void {
    this.queue.register({
      name: queueName(settings),
      concurrency: settings.concurrency,
      lookEveryMs: SECOND,
      deadlineMs: RUN_DEADLINE_MS + 15 * SECOND,
      unique: 'waiting-or-running',
      handle: async (customerId, signal) => void (await this.syncs.run(customerId, settings.source, signal)),
    });
  }

  private async plan(settings: SyncLaneSettings): Promise<void> {
    const due = await this.due.find(settings);
    const put = await this.queue.enqueue(
      queueName(settings),
      due.customerIds.map((key) => ({ key })),
    );
    await this.due.markQueued(due, put);
  }
}

function queueName({ source, lane }: Pick<SyncLaneSettings, 'source' | 'lane'>): string {
  return lane === 'well' ? `invoices.sync-${source}` : `invoices.sync-${source}-${lane}`;
}
