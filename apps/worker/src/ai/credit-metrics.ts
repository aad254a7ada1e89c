import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { type CreditHealth, CreditHealthService } from '@domains/ai';
import { Metrics, readAtScrape } from '@platform/metrics';

const GAUGES: { name: string; help: string; value: (health: CreditHealth) => number | null }[] = [
  {
    name: 'ai_credit_problems',
    help: 'Differences between accounts, ledgers and usage that the last hourly verification found',
    value: ({ problems }) => problems,
  },
  {
    name: 'ai_credit_verified_seconds',
    help: 'Seconds since the last verification of all AI credit ended',
    value: ({ verified_age }) => verified_age,
  },
  {
    name: 'ai_reservations_pending',
    help: 'Calls in progress that have reserved credit',
    value: ({ pending }) => pending,
  },
  {
    name: 'ai_reservation_oldest_seconds',
    help: 'How long the oldest pending reservation has been pending',
    value: ({ oldest_pending_age }) => oldest_pending_age,
  },
  { name: 'ai_reserved_nok', help: 'NOK that calls in progress have reserved', value: ({ reserved }) => reserved },
  {
    name: 'ai_unknown_outcomes',
    help: 'Calls of the last 24 hours that ended with an unknown outcome: operator ai unknown',
    value: ({ unknown_outcomes }) => unknown_outcomes,
  },
  {
    name: 'ai_exhausted_accounts',
    help: 'Accounts without free credit',
    value: ({ exhausted_accounts }) => exhausted_accounts,
  },
];

/** The metrics of AI credit. They are of the database, so every worker has the same. A scrape reads them. */
@Injectable()
export class CreditMetrics implements OnModuleInit {
  private readonly logger = new Logger(CreditMetrics.name);

  constructor(
    private readonly metrics: Metrics,
    private readonly health: CreditHealthService,
  ) {}

  onModuleInit(): void {
    const read = readAtScrape(
      () => this.health.read(),
      (error) => this.logger.warn({ err: error, msg: 'the state of the AI credit could not be read' }),
    );
    for (const { name, help, value } of GAUGES) {
      new Gauge({
        name,
        help,
        registers: [this.metrics.registry],
        async collect() {
          const health = await read();
          const present = health && value(health);
          // No value rather than one that was true some time ago.
          if (typeof present === 'number') this.set(present);
          else this.remove();
        },
      });
    }
  }
}
