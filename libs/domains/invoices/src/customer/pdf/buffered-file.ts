import { Readable } from 'node:stream';

const CHUNK = 64 * 1024;

/** Streams a file from memory at the reader's pace. */
export class BufferedFile extends Readable {
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
