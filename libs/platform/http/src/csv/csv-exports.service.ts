import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, StreamableFile } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import type { CsvTable } from '@platform/csv';
import { ServiceError } from '@platform/errors';
import { csvText } from './csv-text';

/** Maximum number of concurrent exports per customer. */
const PER_CUSTOMER = 2;
/** Minimum rate: a reader takes the next portion of rows within this time. */
const SLOWEST_MS = 30_000;
const RETRY_SECONDS = 5;

/** What an export consists of. */
export interface CsvExport<Row> {
  /** Without its ending, such as `ai-usage`. */
  fileName: string;
  table: CsvTable;
  /** Read while the reply is sent, at the reader's pace. */
  portions: AsyncGenerator<Row[]>;
  /** A row as it is in JSON. */
  toDto: (row: Row) => object;
  /** Aborts when the reply is out, or its reader gone. */
  closed: AbortSignal;
}

/**
 * Sends lists of any length as CSV, with one portion of rows in memory at a time. A reply that cannot be completed is broken
 * off, so that its reader notices.
 */
@Injectable()
export class CsvExportsService implements BeforeApplicationShutdown {
  private readonly underWay = new Map<string, number>();
  private readonly streams = new Set<Readable>();

  constructor(private readonly context: CustomerContextService) {}

  /** @throws ServiceError rate_limited if the customer has too many in progress; and what reading the first portion throws */
  async send<Row>({ fileName, table, portions, toDto, closed }: CsvExport<Row>): Promise<StreamableFile> {
    this.enter(closed);
    // Read before the reply begins: what fails now is answered as any other request.
    const first = await portions.next();
    const text = csvText(table, { first, portions, toDto }, SLOWEST_MS, () =>
      content.destroy(new Error('The reader of an export is too slow')),
    );
    const content = Readable.from(text, { objectMode: false });
    this.streams.add(content);
    closed.addEventListener('abort', () => content.destroy());
    content.once('close', () => this.streams.delete(content));
    if (closed.aborted) content.destroy();
    return new StreamableFile(content, {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="${fileName}.csv"`,
    });
  }

  /** The process ends. What is broken off can be asked for again. */
  beforeApplicationShutdown(): void {
    for (const stream of this.streams) stream.destroy(new Error('The process is shutting down'));
  }

  private enter(closed: AbortSignal): void {
    const { customerId } = this.context;
    const own = this.underWay.get(customerId) ?? 0;
    if (own >= PER_CUSTOMER) {
      throw new ServiceError('rate_limited', `You have ${own} exports under way: read them to their end first`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    if (closed.aborted) return;
    this.underWay.set(customerId, own + 1);
    closed.addEventListener('abort', () => this.left(customerId));
  }

  private left(customerId: string): void {
    const own = (this.underWay.get(customerId) ?? 1) - 1;
    if (own > 0) this.underWay.set(customerId, own);
    else this.underWay.delete(customerId);
  }
}
