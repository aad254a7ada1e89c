import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokensModule } from '@app/access';
import { AiOperatorModule } from '@app/ai';
import { type AppConfig, ConfigModule } from '@app/config';
import { CustomersModule } from '@app/customers';
import { DatabaseModule } from '@app/database';
import { InvoiceBookModule, InvoiceSyncModule } from '@app/invoices';
import { LoggingModule } from '@app/logging';
import { CustomerServicesModule } from '@app/services';
import { SmsAdministrationModule } from '@app/sms';
import { StatusEventsModule } from '@app/status';
import { SupportDeskModule } from '@app/support';

/** The operator's services that the demo customer is made with. */
@Module({
  imports: [
    DatabaseModule.as('account_operator'),
    LoggingModule.forRoot(),
    AiOperatorModule,
    CustomersModule,
    CustomerServicesModule,
    InvoiceBookModule,
    InvoiceSyncModule,
    ServiceTokensModule,
    SmsAdministrationModule,
    StatusEventsModule,
    SupportDeskModule,
  ],
})
export class DemoModule {
  static with(config: AppConfig): DynamicModule {
    return { module: DemoModule, imports: [ConfigModule.for(config)] };
  }
}
