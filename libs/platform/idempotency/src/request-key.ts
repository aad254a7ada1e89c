import { createHmac, hash } from 'node:crypto';

/** A request that was sent with an Idempotency-Key. */
export interface RequestKey {
  customerId: string;
  /** The caller's key. Never stored. */
  key: string;
  /** What is stored of it. */
  hash: Buffer;
  /** Of method, path and body: tells a retry from another request. */
  fingerprint: Buffer;
}

/** What is stored of a customer's key. */
export function hashKey(customerId: string, key: string): Buffer {
  return hash('sha256', `${customerId} ${key}`, 'buffer');
}

/** Begins the fingerprint of a request. Keyed, so that a body cannot be guessed from what is stored. */
export function beginFingerprint(key: string, method: string, path: string): ReturnType<typeof createHmac> {
  return createHmac('sha256', key).update(`${method} ${path}\n`);
}
