import { isUtf8 } from 'node:buffer';

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
