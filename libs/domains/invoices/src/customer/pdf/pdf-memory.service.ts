import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { BufferedFile } from './buffered-file';

/** PDFs that one customer may have under way at a time. */
const PER_CUSTOMER = 4;
/** Least rate: a reader takes the next 64 kB within this time. */
const SLOWEST_MS = 10_000;
/** Where memory is short, within this. */
const SLOWEST_WHEN_SHORT_MS = 1_000;
const LOOK_MS = 500;
const WAIT_MS = 10_000;

/** The place of one PDF, from its request until its reader has it. */
export interface PdfPlace {
  /**
   * Puts a fetched file into the place. The stream must be read or destroyed; a reader slower than the least rate is cut off.
   * @throws ServiceError service_unavailable if those that were fetched meanwhile have taken the room
   */
  fill(file: Buffer): Readable;
  /** Gives the place up: there will be no file. */
  leave(): void;
}

/**
 * The memory for PDFs on their way to customers. They are fetched at full speed, so that a slow customer holds memory here
 * and nothing at the source; how much, is bounded, and who takes nothing gives way to others.
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
   * Waits for room for a PDF.
   * @throws ServiceError rate_limited if the customer has too many under way, service_unavailable if there is no room in time
   */
  async enter(customerId: string, signal: AbortSignal): Promise<PdfPlace> {
    const own = this.underWay.get(customerId) ?? 0;
    if (own >= PER_CUSTOMER) {
      throw new ServiceError('rate_limited', `You have ${own} PDFs under way: read them to their end first`, {
        retryAfterSeconds: 5,
      });
    }
    this.underWay.set(customerId, own + 1);
    const leave = this.once(() => this.left(customerId));
    try {
      await this.room(signal);
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
    // Many may have found room at once, before any of them had its file.
    const excess = this.held + file.length - this.limit;
    if (excess > 0 && this.files.size > 0) this.cutOff(SLOWEST_WHEN_SHORT_MS, excess);
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

  private async room(signal: AbortSignal): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (this.held >= this.limit) {
      this.cutOff(SLOWEST_WHEN_SHORT_MS, this.held - this.limit + 1);
      if (this.held < this.limit) return;
      signal.throwIfAborted();
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

  /** Cuts off readers that have taken nothing for so long, those first that have waited longest, until so much is free. */
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
  return new ServiceError('service_unavailable', 'Too many PDFs are under way', { retryAfterSeconds: 5 });
}
