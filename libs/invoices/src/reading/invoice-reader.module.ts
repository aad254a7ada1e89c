import { Module } from '@nestjs/common';
import { BillingSourcesModule } from '../sources/billing-sources.module';
import { InvoicePdfs } from './invoice-pdfs';
import { InvoiceReader } from './invoice-reader';
import { PdfMemory } from './pdf-memory.service';

/** Customers' own invoices. */
@Module({
  imports: [BillingSourcesModule],
  providers: [InvoiceReader, InvoicePdfs, PdfMemory],
  exports: [InvoiceReader, InvoicePdfs],
})
export class InvoiceReaderModule {}
