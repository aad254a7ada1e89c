/** Large enough that a body of 32 MB has few segments, small enough that the last one wastes little. */
const SEGMENT_BYTES = 256 * 1024;

/**
 * Stores bytes that arrive in chunks. They are copied into segments: a client chooses the size of the chunks, and a
 * million chunks of one byte each would take a hundred times their size.
 */
export class SegmentedBytes {
  /** Number of bytes. */
  length = 0;
  private readonly segments: Buffer[] = [];
  private free = 0;

  /** @param expected the length, if known: a text that arrives in one chunk is not copied */
  constructor(private readonly expected?: number) {}

  /** Appends a chunk. */
  add(piece: Buffer): void {
    if (this.length === 0 && piece.length === this.expected) {
      this.segments.push(piece);
      this.length = piece.length;
      return;
    }
    for (let from = 0; from < piece.length;) {
      if (this.free === 0) this.grow(piece.length - from);
      const segment = this.segments.at(-1) as Buffer;
      const copied = piece.copy(segment, segment.length - this.free, from);
      this.free -= copied;
      from += copied;
      this.length += copied;
    }
  }

  /** The bytes from `start` to before `end`, without copying them. */
  slice(start: number, end: number): Buffer[] {
    const parts: Buffer[] = [];
    let offset = 0;
    for (const segment of this.segments) {
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

  private grow(needed: number): void {
    const left = this.expected === undefined ? SEGMENT_BYTES : this.expected - this.length;
    // At least the size of the chunk: an announced length that is too small must not prevent storing it.
    const size = Math.min(SEGMENT_BYTES, Math.max(left, needed));
    this.segments.push(Buffer.allocUnsafeSlow(size));
    this.free = size;
  }
}
