import { type DynamicModule, Module } from '@nestjs/common';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { JobQueueModule } from '@platform/jobs';
import { InternalListenerModule } from '@platform/internal-listener';
import { MetricsModule } from '@platform/metrics';
import { AiJobsModule } from './ai/ai-jobs.module';
import { IdempotencyJobsModule } from './idempotency/idempotency-jobs.module';
import { InvoiceJobsModule } from './invoices/invoice-jobs.module';
import { PartitionJobsModule } from './partitions/partition-jobs.module';
import { RetentionJobsModule } from './retention/retention-jobs.module';
import { QueueMetrics } from './queue-metrics';
import { WorkerDatabase } from './worker-database';
import { WorkerHealth } from './worker-health';

/** Background work: the jobs of all domains. */
@Module({
  imports: [
    DatabaseModule.as('account_operator', { keepConnections: true }),
    InternalListenerModule,
    MetricsModule,
    JobQueueModule,
    AiJobsModule,
    IdempotencyJobsModule,
    InvoiceJobsModule,
    PartitionJobsModule,
    RetentionJobsModule,
  ],
  providers: [QueueMetrics, WorkerDatabase, WorkerHealth],
})
export class WorkerModule {
  /** The worker with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: WorkerModule, imports: [ConfigModule.for(config)] };
  }
}
