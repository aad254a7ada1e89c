import { Module } from '@nestjs/common';
import { InvoiceSyncModule } from '@app/invoices';
import { InvoiceJobs } from './invoice-jobs';

/** The invoices' jobs. */
@Module({ imports: [InvoiceSyncModule], providers: [InvoiceJobs] })
export class InvoiceJobsModule {}
