import { Module } from '@nestjs/common';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { AiOperatorModule } from '@domains/ai';
import { CustomersOperatorModule } from '@domains/customers';
import { InvoicesOperatorModule } from '@domains/invoices';
import { SmsOperatorModule } from '@domains/sms';
import { CustomerDataOperatorModule } from '@schema';
import { InstallationController } from './installation.controller';

/** The checks and the storage. The modules of customer data, ai, sms and invoices add their checks. */
@Module({
  imports: [
    MaintenanceOperatorModule,
    CustomerDataOperatorModule,
    AiOperatorModule,
    CustomersOperatorModule,
    InvoicesOperatorModule,
    SmsOperatorModule,
  ],
  controllers: [InstallationController],
})
export class InstallationApiModule {}
