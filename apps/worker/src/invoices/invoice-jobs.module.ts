import { Module } from '@nestjs/common';
import { InvoiceSyncModule } from '@domains/invoices';
import { InvoiceJobs } from './invoice-jobs';
import { InvoiceMetrics } from './invoice-metrics';

/** The invoices' jobs, and what there is to watch of them. */
@Module({ imports: [InvoiceSyncModule], providers: [InvoiceJobs, InvoiceMetrics] })
export class InvoiceJobsModule {}
