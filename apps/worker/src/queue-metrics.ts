import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { Metrics, readAtScrape } from '@platform/metrics';

/** What is due and has not begun: pg-boss's states before `active`. */
const WAITING = `
  select name as queue, count(*)::int as waiting, extract(epoch from now() - min(start_after))::float8 as oldest
  from pgboss.job where state < 'active' and start_after <= now() group by name`;

interface WaitingItems {
  queue: string;
  waiting: number;
  oldest: number;
}

/** The metrics of the job queues. They are of the database, so every worker has the same. A scrape reads them. */
@Injectable()
export class QueueMetrics implements OnModuleInit {
  private readonly logger = new Logger(QueueMetrics.name);
  private readonly read = readAtScrape(
    () => this.dataSource.query<WaitingItems[]>(WAITING),
    (error) => this.logger.warn({ msg: 'the state of the job queues could not be read', err: error }),
  );

  constructor(
    private readonly metrics: Metrics,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.report('worker_queue_waiting', 'Items of a queue that are due and have not begun', ({ waiting }) => waiting);
    this.report('worker_queue_oldest_seconds', 'How long the oldest of them has been due', ({ oldest }) => oldest);
  }

  private report(name: string, help: string, value: (items: WaitingItems) => number): void {
    const { read } = this;
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers: [this.metrics.registry],
      async collect() {
        this.reset();
        for (const items of (await read()) ?? []) this.set({ queue: items.queue }, value(items));
      },
    });
  }
}
