import { type DynamicModule, Module } from '@nestjs/common';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { InternalListenerModule } from '@platform/internal-listener';
import { MetricsModule } from '@platform/metrics';
import { RefusalsModule } from '@platform/refusals';
import { AiApiModule } from './ai/ai-api.module';
import { AiUsageApiModule } from './ai-usage/ai-usage-api.module';
import { CreditRequestsApiModule } from './credit-requests/credit-requests-api.module';
import { CustomerApiModule } from './customer/customer-api.module';
import { EventsApiModule } from './events/events-api.module';
import { WebhooksApiModule } from './webhooks/webhooks-api.module';
import { HealthModule } from '@platform/health';
import { RequestPipelineModule } from './request-pipeline.module';
import { ServicesApiModule } from './services/services-api.module';
import { InvoicesApiModule } from './invoices/invoices-api.module';
import { SmsApiModule } from './sms/sms-api.module';
import { StatusApiModule } from './status/status-api.module';
import { SupportApiModule } from './support/support-api.module';

/** The customer API. */
@Module({
  imports: [
    DatabaseModule.as('customer_api', { keepConnections: true }),
    InternalListenerModule,
    MetricsModule,
    RefusalsModule,
    RequestPipelineModule,
    HealthModule,
    AiApiModule,
    AiUsageApiModule,
    CreditRequestsApiModule,
    CustomerApiModule,
    EventsApiModule,
    WebhooksApiModule,
    ServicesApiModule,
    InvoicesApiModule,
    SmsApiModule,
    StatusApiModule,
    SupportApiModule,
  ],
})
export class AppModule {
  /** The API with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.for(config)] };
  }
}
