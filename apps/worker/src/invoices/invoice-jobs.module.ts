import { Module } from '@nestjs/common';
import { InvoiceSyncModule } from '@domains/invoices';
import { InvoiceJobs } from './invoice-jobs';
import { InvoiceMetrics } from './invoice-metrics';

/** The jobs of the invoices domain, and their metrics. */
@Module({ imports: [InvoiceSyncModule], providers: [InvoiceJobs, InvoiceMetrics] })
export class InvoiceJobsModule {}
