import { Module } from '@nestjs/common';
import { BillingSources } from '../sources/billing-sources';
import { InvoicePdfs } from './invoice-pdfs';
import { InvoiceReader } from './invoice-reader';

/** Customers' own invoices. */
@Module({ providers: [InvoiceReader, InvoicePdfs, BillingSources], exports: [InvoiceReader, InvoicePdfs] })
export class InvoiceReaderModule {}
