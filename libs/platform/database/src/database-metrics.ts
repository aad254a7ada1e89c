import { Counter } from 'prom-client';
import { type Metrics, readAtScrape } from '@platform/metrics';
import { REFUSALS, refusalCounts } from './database-errors';
import type { DatabaseClockService } from './database-clock.service';

/** Exposes whether the database answers, its refusals, and whether its clock agrees. A scrape asks. */
export function exposeDatabaseMetrics(metrics: Metrics, clock: DatabaseClockService): void {
  const compare = readAtScrape(
    async () => {
      await clock.compare();
      return true;
    },
    () => undefined,
  );
  metrics.reportState(
    'database_reachable',
    'The database answers this process',
    async () => (await compare()) ?? false,
  );
  metrics.reportState('clock_wrong', "The process's clock differs from the database's", async () => {
    await compare();
    return clock.fault !== undefined;
  });
  new Counter({
    name: 'database_refusals_total',
    help: 'Statements and connections that PostgreSQL refused because of its own state',
    labelNames: ['reason'],
    registers: [metrics.registry],
    collect() {
      this.reset();
      for (const reason of REFUSALS) this.inc({ reason }, refusalCounts[reason]);
    },
  });
}
