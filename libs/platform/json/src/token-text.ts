/** The longest token whose text can be asked for, in bytes as it is written: names and short values are what is judged. */
export const LONGEST_TEXT = 128;

/** Keeps the beginning of a token whose end comes with a later piece. */
export class TokenText {
  private readonly kept = Buffer.allocUnsafe(LONGEST_TEXT);
  private length = 0;

  /** Begins a new token. */
  reset(): void {
    this.length = 0;
  }

  /** Keeps one more part of the token. */
  keep(part: Buffer): void {
    if (this.length + part.length <= LONGEST_TEXT) part.copy(this.kept, this.length);
    this.length += part.length;
  }

  /** The token's bytes, with the part that ends it; nothing if it is too long. */
  with(last: Buffer): Buffer | undefined {
    if (this.length + last.length > LONGEST_TEXT) return undefined;
    if (this.length === 0) return last;
    return Buffer.concat([this.kept.subarray(0, this.length), last]);
  }
}
