import { Readable } from 'node:stream';

const CHUNK = 64 * 1024;

/** A file that is in memory as a whole, on its way to a reader at the reader's pace. */
export class BufferedFile extends Readable {
  /** When the reader last took something, in the process's own time. */
  takenAt = performance.now();
  private sent = 0;

  /** @param gone is told once, when the memory is free: the reader has it all, or will not have it */
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
