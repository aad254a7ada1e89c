import { type DynamicModule, Module } from '@nestjs/common';
import { type AppConfig, ConfigModule } from '@app/config';
import { DatabaseModule } from '@app/database';
import { LoggingModule } from '@app/logging';
import { MetricsModule } from '@app/metrics';
import { AiRoutesModule } from './ai/ai-routes.module';
import { CreditRequestRoutesModule } from './credit-requests/credit-request-routes.module';
import { CustomerModule } from './customer/customer.module';
import { HealthModule } from './health/health.module';
import { RequestPipelineModule } from './platform/request-pipeline.module';
import { ServicesModule } from './services/services.module';
import { InvoicesModule } from './invoices/invoices.module';
import { SmsModule } from './sms/sms.module';
import { StatusModule } from './status/status.module';
import { SupportModule } from './support/support.module';

/** The customer API. */
@Module({
  imports: [
    DatabaseModule.as('customer_api', { keepConnections: true }),
    LoggingModule.forRoot(),
    MetricsModule,
    RequestPipelineModule,
    HealthModule,
    AiRoutesModule,
    CreditRequestRoutesModule,
    CustomerModule,
    ServicesModule,
    InvoicesModule,
    SmsModule,
    StatusModule,
    SupportModule,
  ],
})
export class AppModule {
  /** The API with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.for(config)] };
  }
}
