import { randomFillSync } from 'node:crypto';

/** Nonces that are drawn at once: drawing a few bytes takes nearly as long as drawing some thousand. */
const DRAWN = 256;

/** Random nonces for AES-GCM, each given out once. */
export class Nonces {
  static readonly bytes = 12;
  private readonly drawn = Buffer.alloc(DRAWN * Nonces.bytes);
  private used = DRAWN;

  /** The next nonce, a copy: what was drawn is overwritten later. */
  next(): Buffer {
    if (this.used === DRAWN) {
      randomFillSync(this.drawn);
      this.used = 0;
    }
    const at = this.used++ * Nonces.bytes;
    return Buffer.from(this.drawn.subarray(at, at + Nonces.bytes));
  }
}
