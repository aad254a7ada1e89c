import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InvoiceSyncs } from '@app/invoices';
import { JobRunner } from '@app/jobs';

const MINUTE = 60_000;

/** Syncs invoices with the billing sources. Each customer's sync has its own rhythm; this looks which are due. */
@Injectable()
export class InvoiceJobs implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly syncs: InvoiceSyncs,
  ) {}

  onModuleInit(): void {
    this.runner.register({
      name: 'invoices.sync',
      everyMs: MINUTE,
      leaseMs: 10 * MINUTE,
      run: (signal) => this.syncs.runDue(signal),
    });
  }
}
