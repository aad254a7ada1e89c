import { type DynamicModule, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { TokensOperatorModule } from '@platform/tokens';
import { AiOperatorModule } from '@domains/ai';
import { AuditModule } from '@platform/audit';
import { AppConfig, ConfigModule } from '@platform/config';
import { CreditRequestsOperatorModule } from '@domains/credit-requests';
import { CustomersOperatorModule } from '@domains/customers';
import { DatabaseModule } from '@platform/database';
import { NestLogger } from '@platform/logging';
import { InvoicesOperatorModule, InvoiceSyncModule } from '@domains/invoices';
import { ServicesOperatorModule } from '@domains/services';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import { aiCommands } from './commands/ai/ai.command';
import { auditCommands } from './commands/audit/audit.command';
import { creditRequestCommands } from './commands/credit-request/credit-request.command';
import { customerCommands } from './commands/customer/customer.command';
import { invoiceCommands } from './commands/invoice/invoice.command';
import { secretsCommands } from './commands/secrets/secrets.command';
import { serviceCommands } from './commands/service/service.command';
import { smsCommands } from './commands/sms/sms.command';
import { statusCommands } from './commands/status/status.command';
import { ticketCommands } from './commands/ticket/ticket.command';
import { tokenCommands } from './commands/token/token.command';

/** The operator's command line. */
@Module({
  imports: [
    DatabaseModule.as('account_operator'),
    AiOperatorModule,
    AuditModule,
    CreditRequestsOperatorModule,
    CustomersOperatorModule,
    ServicesOperatorModule,
    InvoicesOperatorModule,
    InvoiceSyncModule,
    TokensOperatorModule,
    SmsOperatorModule,
    StatusOperatorModule,
    SupportOperatorModule,
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
    ...secretsCommands,
  ],
})
export class OperatorModule implements OnModuleInit {
  constructor(private readonly config: AppConfig) {}

  /** The command line with these settings. */
  static with(config: AppConfig): DynamicModule {
    return { module: OperatorModule, imports: [ConfigModule.for(config)] };
  }

  /** Standard output is reserved for results, so logs go to standard error. */
  onModuleInit(): void {
    Logger.overrideLogger(new NestLogger(this.config, process.stderr));
  }
}
