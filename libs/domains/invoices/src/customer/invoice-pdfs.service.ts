import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { ClientGoneError, CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, decoders, EntityReadsService, type ReadStatement } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { BillingSourceName } from '../invoice-values';
import { BillingAccount } from '../entities/billing-account.entity';
import { Invoice } from '../entities/invoice.entity';
import { BillingSourcesService } from '../adapters/billing-sources.service';
import { requireSameCompany, SourceError } from '../ports/billing-source.port';
import { isShown } from './invoices.service';
import { PdfMemoryService } from './pdf-memory.service';

interface PdfRow {
  number: string;
  source: BillingSourceName;
  sourceId: string;
  /** The customer's id in the source. */
  account: string;
  /** The company there that the account is one of; null if the source has no companies, or the first sync is yet to come. */
  company: string | null;
}

/** A PDF to be streamed. Its content must be read or destroyed. */
export interface InvoicePdf {
  content: Readable;
  /** Bytes. */
  length: number;
  /** Suggested file name. */
  fileName: string;
}

/** Fetches PDFs that need the billing source's credential, or a new link, on behalf of the customer. */
@Injectable()
export class InvoicePdfsService {
  private readonly logger = new Logger(InvoicePdfsService.name);
  private readonly pdf: ReadStatement<PdfRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly sources: BillingSourcesService,
    private readonly memory: PdfMemoryService,
    reads: EntityReadsService,
  ) {
    const [invoice, account] = [reads.table(Invoice, 'i'), reads.table(BillingAccount, 'a')];
    this.pdf = reads.statement<PdfRow>(
      'invoices.pdf',
      `select ${invoice.select(['number', 'source', 'sourceId'])}, ${account.column('sourceCustomerId')} as account,
         ${account.column('company')} as company
       from ${invoice.from} join ${account.from} on ${account.column('customerId')} = ${invoice.column('customerId')}
         and ${account.column('source')} = ${invoice.column('source')}
       where ${invoice.column('customerId')} = $1 and ${invoice.column('id')} = $2
         and ${isShown(invoice)} and ${invoice.column('pdfReference')} is not null`,
      {
        number: decoders.text,
        source: (text) => text as BillingSourceName,
        sourceId: decoders.text,
        account: decoders.text,
        company: decoders.text,
      },
    );
  }

  /**
   * @param signal aborts when the client has disconnected: then the source is not called
   * @throws ServiceError not_found; rate_limited if the customer reads too many PDFs already; service_unavailable if
   * the source does not return it at present; ClientGoneError
   */
  async open(invoiceId: string, signal: AbortSignal): Promise<InvoicePdf> {
    const [row] = await this.database.read(this.pdf, [invoiceId]);
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

  private async fetch(
    { source, sourceId, account, company }: PdfRow,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    try {
      signal.throwIfAborted();
      const from = this.sources.find(source);
      if (from && company !== null) requireSameCompany(from, company);
      const file = await from?.fetchPdf(account, sourceId, signal);
      if (file && !isPdf(file)) throw new SourceError(`${source} sent a file that is no PDF`);
      return file;
    } catch (error) {
      if (signal.aborted) throw new ClientGoneError();
      if (!(error instanceof SourceError)) throw error;
      this.logger.warn({ msg: 'the PDF of an invoice could not be fetched', err: error, source, source_id: sourceId });
      throw new ServiceError('service_unavailable', 'The PDF cannot be fetched at present; try again later', {
        retryAfterSeconds: Math.ceil((error.retryAfterMs ?? 30_000) / 1000),
        cause: error,
      });
    }
  }
}

/** Sources may answer with a login page instead. PDF readers look for the header within the first kB of a file. */
function isPdf(file: Buffer): boolean {
  return file.subarray(0, 1024).includes('%PDF-');
}

function missing(): ServiceError {
  return new ServiceError('not_found', 'You have no invoice with this id that has a PDF');
}
