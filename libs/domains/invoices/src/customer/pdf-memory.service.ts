import { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ClientGoneError } from '@platform/context';
import { ServiceError } from '@platform/errors';

const CHUNK = 64 * 1024;
/** Maximum number of concurrent PDFs per customer. */
const PER_CUSTOMER = 4;
/** Minimum rate: a reader takes the next 64 kB within this time. */
const SLOWEST_MS = 10_000;
/** The same while memory is short. */
const SLOWEST_WHEN_SHORT_MS = 1_000;
const LOOK_MS = 500;
const WAIT_MS = 10_000;

/** The memory of one PDF, from its request until its reader has it. */
interface PdfPlace {
  /**
   * Stores a fetched file. The stream must be read or destroyed; a reader below the minimum rate is disconnected.
   * @throws ServiceError service_unavailable if other files have used up the memory meanwhile
   */
  fill(file: Buffer): Readable;
  /** Releases the memory: there will be no file. */
  leave(): void;
}

/**
 * The memory for PDFs. They are fetched at full speed, so that a slow customer occupies memory here and no connection
 * to the source. The memory is bounded, and readers that take nothing are disconnected for others.
 */
@Injectable()
export class PdfMemoryService implements OnApplicationShutdown {
  private readonly limit: number;
  private readonly files = new Set<BufferedFile>();
  private readonly underWay = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(config: AppConfig) {
    this.limit = config.INVOICE_PDF_MEMORY_MB * 1024 * 1024;
  }

  /**
   * Waits for free memory for a PDF. @throws ServiceError rate_limited if the customer has too many in progress,
   * service_unavailable if no memory becomes free in time; ClientGoneError
   */
  async enter(customerId: string, signal: AbortSignal): Promise<PdfPlace> {
    const own = this.underWay.get(customerId) ?? 0;
    if (own >= PER_CUSTOMER) {
      throw new ServiceError('rate_limited', `You have ${own} PDFs in progress: read them to their end first`, {
        retryAfterSeconds: 5,
      });
    }
    this.underWay.set(customerId, own + 1);
    const leave = this.once(() => this.left(customerId));
    try {
      await this.freeMemory(signal);
    } catch (error) {
      leave();
      throw error;
    }
    return { fill: (file) => this.fill(file, leave), leave };
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const file of this.files) file.destroy();
  }

  private fill(file: Buffer, leave: () => void): Readable {
    // Several calls may have found free memory at once, before any of them had its file.
    this.cutOff(SLOWEST_WHEN_SHORT_MS, this.held + file.length - this.limit);
    if (this.files.size > 0 && this.held + file.length > this.limit) throw tooMany();
    const buffered = new BufferedFile(file, (done) => {
      this.files.delete(done);
      if (this.files.size === 0) clearInterval(this.timer);
      leave();
    });
    if (this.files.size === 0) this.timer = setInterval(() => this.cutOff(SLOWEST_MS), LOOK_MS).unref();
    this.files.add(buffered);
    return buffered;
  }

  private async freeMemory(signal: AbortSignal): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (this.held >= this.limit) {
      this.cutOff(SLOWEST_WHEN_SHORT_MS, this.held - this.limit + 1);
      if (this.held < this.limit) return;
      if (signal.aborted) throw new ClientGoneError();
      if (performance.now() >= until) {
        throw tooMany();
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 5));
    }
  }

  private get held(): number {
    let bytes = 0;
    for (const file of this.files) bytes += file.bytes;
    return bytes;
  }

  /** Disconnects readers that have taken nothing for this long, the slowest first, until enough memory is free. */
  private cutOff(ms: number, wanted = Infinity): void {
    const now = performance.now();
    const slow = [...this.files].filter(({ takenAt }) => now - takenAt > ms).sort((a, b) => a.takenAt - b.takenAt);
    let freed = 0;
    for (const file of slow) {
      if (freed >= wanted) return;
      freed += file.bytes;
      file.destroy(new Error('The reader of a PDF is too slow'));
      this.files.delete(file);
    }
  }

  private left(customerId: string): void {
    const own = (this.underWay.get(customerId) ?? 1) - 1;
    if (own > 0) this.underWay.set(customerId, own);
    else this.underWay.delete(customerId);
  }

  private once(work: () => void): () => void {
    let done = false;
    return () => {
      if (!done) work();
      done = true;
    };
  }
}

function tooMany(): ServiceError {
  return new ServiceError('service_unavailable', 'Too many PDFs are in progress; try again', { retryAfterSeconds: 5 });
}

/** Streams a file from memory at the reader's pace. */
class BufferedFile extends Readable {
  /** When the reader last took data, by the process's monotonic clock. */
  takenAt = performance.now();
  private sent = 0;

  /** @param gone called once when the memory is free: the reader has the whole file or was closed */
  constructor(
    private file: Buffer,
    private readonly gone: (file: BufferedFile) => void,
  ) {
    super({ highWaterMark: CHUNK });
  }

  get bytes(): number {
    return this.file.length;
  }

  override _read(): void {
    this.takenAt = performance.now();
    const chunk = this.file.subarray(this.sent, this.sent + CHUNK);
    this.sent += chunk.length;
    this.push(chunk.length > 0 ? chunk : null);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.gone(this);
    this.file = Buffer.alloc(0);
    callback(error);
  }
}
