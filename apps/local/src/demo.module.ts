import { type DynamicModule, Module } from '@nestjs/common';
import { TokensOperatorModule } from '@platform/tokens';
import { AiOperatorModule } from '@domains/ai';
import { type AppConfig, ConfigModule } from '@platform/config';
import { CustomersOperatorModule } from '@domains/customers';
import { DatabaseModule } from '@platform/database';
import { InvoicesOperatorModule, InvoiceSyncModule } from '@domains/invoices';
import { ServicesOperatorModule } from '@domains/services';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';

/** The operator's services that create the demo customer. */
@Module({
  imports: [
    DatabaseModule.as('account_operator'),
    AiOperatorModule,
    CustomersOperatorModule,
    ServicesOperatorModule,
    InvoicesOperatorModule,
    InvoiceSyncModule,
    TokensOperatorModule,
    SmsOperatorModule,
    StatusOperatorModule,
    SupportOperatorModule,
  ],
})
export class DemoModule {
  static with(config: AppConfig): DynamicModule {
    return { module: DemoModule, imports: [ConfigModule.for(config)] };
  }
}
