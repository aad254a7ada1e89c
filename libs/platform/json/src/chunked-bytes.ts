import { isUtf8 } from 'node:buffer';

/** Large enough that a body of 32 MB has few segments, small enough that the last one wastes little. */
const SEGMENT_BYTES = 256 * 1024;
/** The first segment of a text whose length is not known. Each further one is as large as all before together: most texts are short. */
const FIRST_BYTES = 4 * 1024;
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
  /** Bytes of memory that they take, with those of a segment that are not used yet. */
  allocated = 0;
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
      const isWhole = !this.open && (isAll || rest >= WHOLE_BYTES);
      if (isWhole) {
        this.segments.push(chunk.subarray(from));
        this.allocated += rest;
      }
      const added = isWhole ? rest : this.copy(chunk, from);
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
    const left = this.expected === undefined ? Math.max(FIRST_BYTES, this.length) : this.expected - this.length;
    // At least the size of the chunk: an announced length that is too small must not prevent storing it.
    const bytes = Math.min(SEGMENT_BYTES, Math.max(left, needed));
    this.used = 0;
    this.allocated += bytes;
    return Buffer.allocUnsafeSlow(bytes);
  }
}

const NOTHING = Buffer.alloc(0);

/** Checks that bytes which arrive in chunks are UTF-8; a character may be split between two chunks. */
export class Utf8Check {
  /** The beginning of an incomplete character: three bytes at most. */
  private begun: Buffer = NOTHING;

  /** Whether the text is UTF-8 so far. */
  accepts(piece: Buffer): boolean {
    const bytes = this.begun.length > 0 ? Buffer.concat([this.begun, piece]) : piece;
    const complete = bytes.length - unfinished(bytes);
    this.begun = complete < bytes.length ? Buffer.from(bytes.subarray(complete)) : NOTHING;
    return isUtf8(complete < bytes.length ? bytes.subarray(0, complete) : bytes);
  }

  /** Whether the last character is complete. */
  get complete(): boolean {
    return this.begun.length === 0;
  }
}

/** Number of bytes at the end that begin an incomplete character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    // A leading byte says how long its character is (RFC 3629 §3).
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** The longest token whose text is available, in bytes of JSON: only names and short values are needed. */
export const LONGEST_TEXT = 128;

/** Stores the beginning of a token that continues in a later chunk. */
export class TokenText {
  private readonly kept = Buffer.allocUnsafe(LONGEST_TEXT);
  private length = 0;

  /** Begins a new token. */
  reset(): void {
    this.length = 0;
  }

  /** Adds a part of the token. */
  keep(part: Buffer): void {
    if (this.length + part.length <= LONGEST_TEXT) part.copy(this.kept, this.length);
    this.length += part.length;
  }

  /** The token's bytes with its last part; undefined if it is too long. */
  with(last: Buffer): Buffer | undefined {
    if (this.length + last.length > LONGEST_TEXT) return undefined;
    if (this.length === 0) return last;
    return Buffer.concat([this.kept.subarray(0, this.length), last]);
  }
}

/** Longer texts are not cached. */
const LONGEST_CACHED = 16;
const PLACES = 256;

interface Known {
  bytes: Buffer;
  text: string;
}

const known: (Known | undefined)[] = Array<undefined>(PLACES).fill(undefined);

/**
 * Decodes a part of a text. The same short names occur again and again, and creating a string of a few bytes takes
 * longer than a lookup, so recent ones are cached.
 */
export function shortText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > LONGEST_CACHED) return bytes.toString('utf8', start, end);
  const place = placeOf(bytes, start, length);
  const found = known[place];
  if (found && isSame(found.bytes, bytes, start, length)) return found.text;
  const text = bytes.toString('utf8', start, end);
  known[place] = { bytes: Buffer.from(bytes.subarray(start, end)), text };
  return text;
}

function placeOf(bytes: Buffer, start: number, length: number): number {
  const [first = 0, middle = 0, last = 0] = [bytes[start], bytes[start + (length >> 1)], bytes[start + length - 1]];
  return (length * 31 + first * 7 + middle * 3 + last * 13) % PLACES;
}

function isSame(one: Buffer, bytes: Buffer, start: number, length: number): boolean {
  if (one.length !== length) return false;
  for (let at = 0; at < length; at++) if (one[at] !== bytes[start + at]) return false;
  return true;
}
