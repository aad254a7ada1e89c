import { type DynamicModule, Module } from '@nestjs/common';
import { AiOperatorModule, ProcessLivenessModule } from '@domains/ai';
import { EventsOperatorModule, WebhookDeliveryModule } from '@domains/events';
import { InvoiceSyncModule } from '@domains/invoices';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { IdempotencyOperatorModule } from '@platform/idempotency';
import { JobQueueModule } from '@platform/jobs';
import { InternalListenerModule } from '@platform/internal-listener';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { MetricsModule } from '@platform/metrics';
import { OperatorAccountsModule } from '@platform/operator-accounts';
import { RefusalsOperatorModule } from '@platform/refusals';
import { AbandonedReservations } from './abandoned-reservations';
import { AiJobs } from './ai-jobs';
import { EventJobs } from './event-jobs';
import { EventSequencing } from './event-sequencing';
import { EventBodiesService } from './event-bodies.service';
import { IdempotencyJobs } from './idempotency-jobs';
import { InvoiceJobs } from './invoice-jobs';
import { PartitionJobs } from './partition-jobs';
import { RetentionJobs } from './retention-jobs';
import { StateMetrics } from './state-metrics';
import { WebhookJobs } from './webhook-jobs';
import { WorkerHealth } from './worker-health';

/** Background work: the jobs of all domains. */
@Module({
  imports: [
    DatabaseModule.as('account_operator', { keepConnections: true }),
    InternalListenerModule,
    MetricsModule,
    JobQueueModule,
    AiOperatorModule,
    ProcessLivenessModule,
    IdempotencyOperatorModule,
    InvoiceSyncModule,
    EventsOperatorModule,
    WebhookDeliveryModule.with(EventBodiesService),
    SmsOperatorModule,
    StatusOperatorModule,
    SupportOperatorModule,
    RefusalsOperatorModule,
    OperatorAccountsModule,
    MaintenanceOperatorModule,
  ],
  providers: [
    WorkerHealth,
    AiJobs,
    AbandonedReservations,
    EventJobs,
    EventSequencing,
    IdempotencyJobs,
    InvoiceJobs,
    PartitionJobs,
    RetentionJobs,
    StateMetrics,
    WebhookJobs,
  ],
})
export class WorkerModule {
  /** The worker with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: WorkerModule, imports: [ConfigModule.for(config)] };
  }
}
