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
