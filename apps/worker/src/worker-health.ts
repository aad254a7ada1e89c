import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { assertDatabaseFit, DatabaseClockService, exposeDatabaseMetrics } from '@platform/database';
import { JobQueueService } from '@platform/jobs';
import { InternalListenerService } from '@platform/internal-listener';
import { Metrics } from '@platform/metrics';

/**
 * Refuses to start without a migrated schema, with the wrong role or in another billing time zone, before any job starts. Logs a difference between
 * the clocks.
 *
 * `/health` on the internal listener: 200 while the database answers, its clock agrees with this process's clock and no
 * job is overdue; else 503 with the reason.
 */
@Injectable()
export class WorkerHealth implements OnModuleInit {
  constructor(
    private readonly listener: InternalListenerService,
    private readonly metrics: Metrics,
    private readonly jobs: JobQueueService,
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClockService,
    private readonly config: AppConfig,
  ) {}

  /** @throws NotMigratedError, UnfitDatabaseError */
  async onModuleInit(): Promise<void> {
    this.exposeHealth();
    await assertDatabaseFit(this.dataSource, 'account_operator', this.config);
    await this.clock.compare();
  }

  private exposeHealth(): void {
    this.metrics.reportState('worker_jobs_overdue', 'A job queue has not been polled for too long', () => {
      return this.jobs.overdue().length > 0;
    });
    exposeDatabaseMetrics(this.metrics, this.clock);
    this.listener.server.get('/health', async (_request, reply) => {
      const overdue = this.jobs.overdue();
      const { database, clock } = await this.clock.compare().then(
        (fault) => ({ database: 'up', clock: fault ?? 'right' }),
        () => ({ database: 'down', clock: 'unknown' }),
      );
      const ok = database === 'up' && clock === 'right' && overdue.length === 0;
      return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'error', database, clock, overdue });
    });
  }
}
