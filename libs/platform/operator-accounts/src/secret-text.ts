import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;
const SHAPE = /^[\w-]{43}$/;

/** A secret for one browser: 256 random bits, of which only the hash is stored. */
export function newSecret(): { text: string; hash: Buffer } {
  const text = randomBytes(BYTES).toString('base64url');
  return { text, hash: hashOfSecret(text) };
}

/** Whether a text has the form of a secret: others are not looked up. */
export function isSecret(text: string): boolean {
  return SHAPE.test(text);
}

export function hashOfSecret(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
