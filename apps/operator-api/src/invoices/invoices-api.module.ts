import { Module } from '@nestjs/common';
import { InvoicesOperatorModule, InvoiceSyncModule } from '@domains/invoices';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { InvoicesController } from './invoices.controller';
import { InvoiceSyncsController } from './invoice-syncs.controller';

@Module({
  imports: [InvoicesOperatorModule, InvoiceSyncModule, CustomerNamesModule],
  controllers: [InvoicesController, InvoiceSyncsController],
})
export class InvoicesApiModule {}
