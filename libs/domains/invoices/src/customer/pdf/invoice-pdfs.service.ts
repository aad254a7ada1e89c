import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, prepared } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import type { BillingSourceName } from '../../invoice-record';
import { BillingSourcesService } from '../../adapters/billing-sources.service';
import { SourceError } from '../../ports/source-error';
import { PdfMemoryService } from './pdf-memory.service';

const FIND = prepared(
  'invoices.pdf',
  `select i.number, i.source, i.source_id, a.source_customer_id as account from invoice i
   join billing_account a on a.customer_id = i.customer_id and a.source = i.source
   where i.customer_id = $1 and i.id = $2 and i.status <> 'draft' and i.pdf_reference is not null`,
);

interface PdfRow {
  number: string;
  source: BillingSourceName;
  source_id: string;
  /** The customer's id in the source. */
  account: string;
}

/** A PDF on its way to the customer. Its content must be read or destroyed. */
export interface InvoicePdf {
  content: Readable;
  /** Bytes. */
  length: number;
  /** What to call it. */
  fileName: string;
}

/** Fetches PDFs that need the billing source's credential, or a fresh link, on the customer's behalf. */
@Injectable()
export class InvoicePdfsService {
  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly sources: BillingSourcesService,
    private readonly memory: PdfMemoryService,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /**
   * @param signal tells that nobody waits any more: then nothing is asked of the source
   * @throws ServiceError not_found; rate_limited if the customer reads too many already; service_unavailable when the
   * source does not give it at present
   */
  async open(invoiceId: string, signal: AbortSignal): Promise<InvoicePdf> {
    const [row] = await this.database.read<PdfRow & Record<string, unknown>>(FIND, [invoiceId]);
    if (!row) throw missing();
    const place = await this.memory.enter(this.context.customerId, signal);
    try {
      const file = await this.fetch(row, signal);
      if (!file) throw missing();
      const fileName = `invoice-${row.number.replace(/[^\w.-]+/g, '_')}.pdf`;
      return { content: place.fill(file), length: file.length, fileName };
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  private async fetch({ source, source_id, account }: PdfRow, signal: AbortSignal): Promise<Buffer | undefined> {
    try {
      signal.throwIfAborted();
      const file = await this.sources.find(source)?.fetchPdf(account, source_id, signal);
      if (file && !isPdf(file)) throw new SourceError(`what ${source} sent is no PDF`);
      return file;
    } catch (error) {
      const asked = error instanceof SourceError ? error.retryAfterMs : undefined;
      if (!(error instanceof SourceError) && !signal.aborted) throw error;
      if (!signal.aborted)
        this.logger.warn({ err: error, source, source_id }, 'the PDF of an invoice could not be fetched');
      throw new ServiceError('service_unavailable', 'The PDF cannot be fetched at present', {
        retryAfterSeconds: Math.ceil((asked ?? 30_000) / 1000),
        cause: error,
      });
    }
  }
}

/** Sources answer with a page that asks for a login, too. Readers look for the header within the first kB of a file. */
function isPdf(file: Buffer): boolean {
  return file.subarray(0, 1024).includes('%PDF-');
}

function missing(): ServiceError {
  return new ServiceError('not_found', 'You have no invoice with this id that has a PDF');
}
