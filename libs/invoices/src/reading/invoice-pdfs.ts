import { Inject, Injectable } from '@nestjs/common';
import { CustomerDatabase, prepared } from '@app/database';
import { ServiceError } from '@app/errors';
import { ROOT_LOGGER, type RootLogger } from '@app/logging';
import type { BillingSourceName } from '../invoice-record';
import type { SourceFile } from '../sources/billing-source';
import { BillingSources } from '../sources/billing-sources';
import { SourceError } from '../sources/source-error';

const FIND = prepared(
  'invoices.pdf',
  `select number, source, source_id, pdf_reference from invoice
   where customer_id = $1 and id = $2 and status <> 'draft' and pdf_reference is not null`,
);

interface PdfRow {
  number: string;
  source: BillingSourceName;
  source_id: string;
  pdf_reference: string;
}

/** A PDF on its way to the customer. */
export interface InvoicePdf extends SourceFile {
  /** What to call it. */
  fileName: string;
}

/** Fetches PDFs that need the billing source's credential, or a fresh link, on the customer's behalf. */
@Injectable()
export class InvoicePdfs {
  constructor(
    private readonly database: CustomerDatabase,
    private readonly sources: BillingSources,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /** @throws ServiceError not_found, or service_unavailable when the source does not give it at present */
  async open(customerId: string, invoiceId: string): Promise<InvoicePdf> {
    const [row] = await this.database.read<PdfRow & Record<string, unknown>>(FIND, [customerId, invoiceId]);
    if (!row) throw missing();
    const file = await this.fetch(row);
    if (!file) throw missing();
    return { ...file, fileName: `invoice-${row.number.replace(/[^\w.-]+/g, '_')}.pdf` };
  }

  private async fetch({ source, source_id, pdf_reference }: PdfRow): Promise<SourceFile | undefined> {
    try {
      return await this.sources.find(source)?.openPdf(source_id, pdf_reference);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.logger.warn({ err: error, source, source_id }, 'the PDF of an invoice could not be fetched');
      throw new ServiceError('service_unavailable', 'The PDF cannot be fetched at present', {
        retryAfterSeconds: Math.ceil((error.retryAfterMs ?? 30_000) / 1000),
        cause: error,
      });
    }
  }
}

function missing(): ServiceError {
  return new ServiceError('not_found', 'You have no invoice with this id that has a PDF');
}
