/** Large enough that a body of 32 MB has few segments, small enough that the last one wastes little. */
const SEGMENT_BYTES = 256 * 1024;
/** A chunk of at least this size is stored as it is: a body of 32 MB has few enough of them. */
const WHOLE_BYTES = 16 * 1024;

/**
 * Stores bytes that arrive in chunks. Small chunks are copied into segments: a client chooses the size of the chunks, and
 * a million chunks of one byte each would take a hundred times their size. Large chunks are not copied: a copy would
 * double the work of the garbage collector.
 */
export class SegmentedBytes {
  /** Number of bytes. */
  length = 0;
  private readonly segments: Buffer[] = [];
  /** The segment that small chunks are copied into, and how much of it is used. */
  private open?: Buffer;
  private used = 0;

  /** @param expected the length, if known: a text that arrives in one chunk is not copied */
  constructor(private readonly expected?: number) {}

  /** Appends a chunk. Its bytes must not be changed afterwards. */
  add(chunk: Buffer): void {
    const isAll = this.length === 0 && chunk.length === this.expected;
    for (let from = 0; from < chunk.length;) {
      const rest = chunk.length - from;
      // An open segment is filled first: alternating large and small chunks would otherwise leave nearly empty segments.
      const added =
        !this.open && (isAll || rest >= WHOLE_BYTES) ? this.keep(chunk.subarray(from)) : this.copy(chunk, from);
      from += added;
      this.length += added;
    }
  }

  /** The bytes from `start` to before `end`, without copying them. */
  slice(start: number, end: number): Buffer[] {
    const parts: Buffer[] = [];
    let offset = 0;
    const segments = this.open ? [...this.segments, this.open.subarray(0, this.used)] : this.segments;
    for (const segment of segments) {
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, segment.length);
      if (from < to) parts.push(segment.subarray(from, to));
      offset += segment.length;
    }
    return parts;
  }

  /** All bytes in one buffer. */
  joined(): Buffer {
    const parts = this.slice(0, this.length);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  private keep(chunk: Buffer): number {
    this.segments.push(chunk);
    return chunk.length;
  }

  private copy(chunk: Buffer, from: number): number {
    this.open ??= this.grow(chunk.length - from);
    const copied = chunk.copy(this.open, this.used, from);
    this.used += copied;
    if (this.used === this.open.length) {
      this.segments.push(this.open);
      this.open = undefined;
    }
    return copied;
  }

  private grow(needed: number): Buffer {
    const left = this.expected === undefined ? SEGMENT_BYTES : this.expected - this.length;
    this.used = 0;
    // At least the size of the chunk: an announced length that is too small must not prevent storing it.
    return Buffer.allocUnsafeSlow(Math.min(SEGMENT_BYTES, Math.max(left, needed)));
  }
}
