import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokensModule } from '@app/access';
import { AiOperatorModule } from '@app/ai';
import { AuditModule } from '@app/audit';
import { type AppConfig, ConfigModule } from '@app/config';
import { CreditRequestDeskModule } from '@app/credit-requests';
import { CustomersModule } from '@app/customers';
import { DatabaseModule } from '@app/database';
import { InvoiceBookModule, InvoiceSyncModule } from '@app/invoices';
import { LoggingModule } from '@app/logging';
import { CustomerServicesModule } from '@app/services';
import { SmsAdministrationModule } from '@app/sms';
import { StatusEventsModule } from '@app/status';
import { SupportDeskModule } from '@app/support';
import { aiCommands } from './commands/ai/ai.command';
import { auditCommands } from './commands/audit/audit.command';
import { creditRequestCommands } from './commands/credit-request/credit-request.command';
import { customerCommands } from './commands/customer/customer.command';
import { invoiceCommands } from './commands/invoice/invoice.command';
import { serviceCommands } from './commands/service/service.command';
import { smsCommands } from './commands/sms/sms.command';
import { statusCommands } from './commands/status/status.command';
import { ticketCommands } from './commands/ticket/ticket.command';
import { tokenCommands } from './commands/token/token.command';

/** The operator's command line. */
@Module({
  imports: [
    DatabaseModule.as('account_operator'),
    // Standard output is for results.
    LoggingModule.forRoot(process.stderr),
    AiOperatorModule,
    AuditModule,
    CreditRequestDeskModule,
    CustomersModule,
    CustomerServicesModule,
    InvoiceBookModule,
    InvoiceSyncModule,
    ServiceTokensModule,
    SmsAdministrationModule,
    StatusEventsModule,
    SupportDeskModule,
  ],
  providers: [
    ...customerCommands,
    ...tokenCommands,
    ...serviceCommands,
    ...statusCommands,
    ...auditCommands,
    ...aiCommands,
    ...creditRequestCommands,
    ...invoiceCommands,
    ...ticketCommands,
    ...smsCommands,
  ],
})
export class OperatorModule {
  /** The command line with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: OperatorModule, imports: [ConfigModule.for(config)] };
  }
}
