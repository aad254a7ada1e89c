import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { type SourceSyncHealth, SyncHealthService } from '@domains/invoices';
import { Metrics, readAtScrape } from '@platform/metrics';

const GAUGES: { name: string; help: string; value: (health: SourceSyncHealth) => number }[] = [
  { name: 'invoice_sync_accounts', help: 'Accounts linked to a billing source', value: ({ accounts }) => accounts },
  {
    name: 'invoice_sync_failing_accounts',
    help: 'Accounts whose last sync failed: invoice sync-status --failing',
    value: ({ failing }) => failing,
  },
  {
    name: 'invoice_sync_oldest_success_seconds',
    help: 'Age of the oldest last success of all accounts',
    value: ({ oldest_success_age }) => oldest_success_age,
  },
  {
    name: 'invoice_sync_overdue_seconds',
    help: 'How long the most overdue sync is overdue',
    value: ({ overdue }) => overdue,
  },
  {
    name: 'invoice_sync_problems',
    help: 'Documents of a billing source that could not be read',
    value: ({ problems }) => problems,
  },
];

/** The metrics of the syncs, by source. A scrape computes them. */
@Injectable()
export class InvoiceMetrics implements OnModuleInit {
  private readonly logger = new Logger(InvoiceMetrics.name);

  constructor(
    private readonly metrics: Metrics,
    private readonly health: SyncHealthService,
  ) {}

  onModuleInit(): void {
    const read = readAtScrape(
      () => this.health.bySource(),
      (error) => this.logger.warn({ err: error, msg: 'the state of the invoice syncs could not be read' }),
    );
    for (const { name, help, value } of GAUGES) {
      new Gauge({
        name,
        help,
        labelNames: ['source'],
        registers: [this.metrics.registry],
        async collect() {
          this.reset();
          for (const health of (await read()) ?? []) this.set({ source: health.source }, value(health));
        },
      });
    }
  }
}
