import { Readable } from 'node:stream';
import {
  type BeforeApplicationShutdown,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  StreamableFile,
  type Type,
} from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CustomerContextService } from '@platform/context';
import type { CsvTable } from '@platform/csv';
import { ServiceError } from '@platform/errors';
import { acceptedWeights, weightOfJson } from './accept';
import { clientGone } from './handler-params';

/** Maximum number of concurrent exports per customer. */
const PER_CUSTOMER = 2;
const RETRY_SECONDS = 5;

/** A caller who prefers CSV to JSON. */
export interface CsvReader {
  /** Whether it wants the headers alone: then nothing is exported. */
  headersOnly: boolean;
  /** Aborts when the reply is complete, or its client disconnected. */
  closed: AbortSignal;
}

/** The rows of an export, and their form. */
export interface CsvExport<Row> {
  reader: CsvReader;
  /** Without its ending, such as `ai-usage`. */
  fileName: string;
  table: CsvTable;
  /** Read while the reply is sent, at the reader's pace. */
  portions: AsyncGenerator<Row[]>;
  /** A row as it is in JSON. */
  toDto: (row: Row) => object;
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

  /** @throws ServiceError rate_limited if the customer has too many in progress; and the errors of reading the first portion */
  async send<Row>({ reader, fileName, table, portions, toDto }: CsvExport<Row>): Promise<StreamableFile> {
    const { headersOnly, closed } = reader;
    if (headersOnly) return csvFile(fileName, Readable.from([]));
    const leave = this.enter();
    // Read before the reply begins: a failure now is answered as that of any other request.
    const first = await portions.next().catch((error: unknown) => {
      leave();
      throw error;
    });
    const content = Readable.from(csvText(table, { first, portions, toDto }), { objectMode: false });
    this.streams.add(content);
    closed.addEventListener('abort', () => content.destroy());
    // Not before the portion that is being read has been: somebody who begins and abandons exports would have many read at a time.
    content.once('close', () => {
      this.streams.delete(content);
      leave();
    });
    if (closed.aborted) content.destroy();
    return csvFile(fileName, content);
  }

  /** The process ends. An export that is broken off can be requested again. */
  beforeApplicationShutdown(): void {
    for (const stream of this.streams) stream.destroy(new Error('The process is shutting down'));
  }

  /** @returns to be called when nothing of the export is read any more */
  private enter(): () => void {
    const { customerId } = this.context;
    const own = this.underWay.get(customerId) ?? 0;
    if (own >= PER_CUSTOMER) {
      throw new ServiceError('rate_limited', `You have ${own} exports in progress: read them to their end first`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    this.underWay.set(customerId, own + 1);
    return () => this.left(customerId);
  }

  private left(customerId: string): void {
    const own = (this.underWay.get(customerId) ?? 1) - 1;
    if (own > 0) this.underWay.set(customerId, own);
    else this.underWay.delete(customerId);
  }
}

/** Rows in portions, of which the first was read already. */
interface Portions<Row> {
  first: IteratorResult<Row[], void>;
  portions: AsyncGenerator<Row[]>;
  toDto: (row: Row) => object;
}

/** The text of a table in the portions in which its rows come: the next is read when the one before was taken. */
async function* csvText<Row>(table: CsvTable, { first, portions, toDto }: Portions<Row>): AsyncGenerator<string> {
  const textOf = (rows: Row[]) => rows.map((row) => table.record(toDto(row))).join('');
  yield table.head + (first.done ? '' : textOf(first.value));
  for await (const rows of portions) yield textOf(rows);
}

function csvFile(name: string, content: Readable): StreamableFile {
  const disposition = `attachment; filename="${name}.csv"`;
  return new StreamableFile(content, { type: 'text/csv; charset=utf-8; header=present', disposition });
}

const CSV = 'text/csv';

/** The caller as a reader of CSV, if it prefers that to JSON (`Accept`, RFC 9110 §12.5.1). */
export const WantsCsv = createParamDecorator((_: unknown, context: ExecutionContext): CsvReader | undefined => {
  const { method, headers } = context.getArgByIndex<FastifyRequest>(0);
  if (!prefersCsv(headers.accept)) return undefined;
  return { headersOnly: method === 'HEAD', closed: clientGone(context.getArgByIndex<FastifyReply>(1)) };
});

/** Whether an `Accept` header prefers CSV to JSON: CSV is named, and weighs no less. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = acceptedWeights(accept);
  const csv = weights.get(CSV) ?? weights.get('text/*') ?? 0;
  return csv > 0 && csv >= weightOfJson(weights);
}

/**
 * Describes the reply of a list that can also be read as CSV. The description says so in words: with a second content type,
 * generated clients would take every page for an object or a text.
 */
export function PageOrCsvReply(page: Type, description: string): MethodDecorator {
  return ApiOkResponse({
    type: page,
    description: `${description} With \`Accept: text/csv\` all of them in one reply, a column for each field (RFC 4180); \`limit\` and \`cursor\` have no effect on it.`,
  });
}
