import { createHash, randomBytes } from 'node:crypto';

/** Ids must differ between two starts as well: clients store them and may require them to be unique. */
const start = randomBytes(6).toString('hex');
let serial = 0;

/** A unique id, in order of creation within one start. */
export function nextId(prefix: string): string {
  serial += 1;
  return `${prefix}${start}${serial.toString(36).padStart(8, '0')}`;
}

/** 32 unique hexadecimal digits. */
export function nextDigest(): Buffer {
  return createHash('sha256').update(nextId('')).digest().subarray(0, 18);
}
