import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingSourcesModule } from './adapters/billing-sources.module';
import { InvoicePdfsService } from './customer/invoice-pdfs.service';
import { InvoicesService } from './customer/invoices.service';
import { BillingAccount } from './entities/billing-account.entity';
import { Invoice } from './entities/invoice.entity';
import { PdfMemoryService } from './customer/pdf-memory.service';

@Module({
  imports: [TypeOrmModule.forFeature([BillingAccount, Invoice]), BillingSourcesModule],
  providers: [InvoicesService, InvoicePdfsService, PdfMemoryService],
  exports: [InvoicesService, InvoicePdfsService],
})
export class InvoicesModule {}
