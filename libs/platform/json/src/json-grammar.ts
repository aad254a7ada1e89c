/** The literals by their first byte. */
export const LITERALS: Record<number, Buffer | undefined> = {
  0x74: Buffer.from('true'),
  0x66: Buffer.from('false'),
  0x6e: Buffer.from('null'),
};

/** Bytes that may follow a backslash, besides `u` (RFC 8259 §7). */
export const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
export const HEX_DIGITS = new Set(Buffer.from('0123456789abcdefABCDEF'));
