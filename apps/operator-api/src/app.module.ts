import { type DynamicModule, Module } from '@nestjs/common';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { HealthModule } from '@platform/health';
import { InternalListenerModule } from '@platform/internal-listener';
import { MetricsModule } from '@platform/metrics';
import { AccountsApiModule } from './accounts/accounts-api.module';
import { AiApiModule } from './ai/ai-api.module';
import { AuditApiModule } from './audit/audit-api.module';
import { EventsApiModule } from './events/events-api.module';
import { InstallationApiModule } from './installation/installation-api.module';
import { InvoicesApiModule } from './invoices/invoices-api.module';
import { RequestsApiModule } from './requests/requests-api.module';
import { ServicesApiModule } from './services/services-api.module';
import { SmsApiModule } from './sms/sms-api.module';
import { StatusApiModule } from './status/status-api.module';
import { TodayApiModule } from './today/today-api.module';
import { TokensApiModule } from './tokens/tokens-api.module';
import { CreditRequestsApiModule } from './credit-requests/credit-requests-api.module';
import { CustomersApiModule } from './customers/customers-api.module';
import { LoginModule } from './login/login.module';
import { WebhooksApiModule } from './webhooks/webhooks-api.module';
import { RequestPipelineModule } from './request-pipeline.module';
import { TicketsApiModule } from './tickets/tickets-api.module';

/** The operator API. */
@Module({
  imports: [
    DatabaseModule.as('account_operator', { keepConnections: true }),
    InternalListenerModule,
    MetricsModule,
    RequestPipelineModule,
    HealthModule,
    LoginModule,
    CustomersApiModule,
    CreditRequestsApiModule,
    TicketsApiModule,
    AccountsApiModule,
    AiApiModule,
    AuditApiModule,
    EventsApiModule,
    InstallationApiModule,
    InvoicesApiModule,
    RequestsApiModule,
    ServicesApiModule,
    SmsApiModule,
    StatusApiModule,
    TodayApiModule,
    TokensApiModule,
    WebhooksApiModule,
  ],
})
export class AppModule {
  /** The operator API with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.for(config)] };
  }
}
