import { isUtf8 } from 'node:buffer';

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
