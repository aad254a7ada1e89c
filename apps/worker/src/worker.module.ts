import { type DynamicModule, Module } from '@nestjs/common';
import { type AppConfig, ConfigModule } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobQueueModule } from '@app/jobs';
import { LoggingModule } from '@app/logging';
import { MetricsModule } from '@app/metrics';
import { AiJobsModule } from './ai/ai-jobs.module';
import { InvoiceJobsModule } from './invoices/invoice-jobs.module';
import { WorkerDatabase } from './worker-database';
import { WorkerHealth } from './worker-health';

/** Background work: the jobs of the domains, each on a schedule. */
@Module({
  imports: [
    DatabaseModule.as('account_operator', { keepConnections: true }),
    LoggingModule.forRoot(),
    MetricsModule,
    JobQueueModule,
    AiJobsModule,
    InvoiceJobsModule,
  ],
  providers: [WorkerDatabase, WorkerHealth],
})
export class WorkerModule {
  /** The worker with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: WorkerModule, imports: [ConfigModule.for(config)] };
  }
}
