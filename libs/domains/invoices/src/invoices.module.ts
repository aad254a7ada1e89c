import { Module } from '@nestjs/common';
import { BillingSourcesModule } from './adapters/billing-sources.module';
import { InvoicePdfsService } from './customer/pdf/invoice-pdfs.service';
import { InvoicesService } from './customer/invoices.service';
import { PdfMemoryService } from './customer/pdf/pdf-memory.service';

@Module({
  imports: [BillingSourcesModule],
  providers: [InvoicesService, InvoicePdfsService, PdfMemoryService],
  exports: [InvoicesService, InvoicePdfsService],
})
export class InvoicesModule {}
