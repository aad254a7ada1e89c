import { createHash, type Hash, hash } from 'node:crypto';
import { ServiceError } from '@platform/errors';

/** `Retry-After` while a request is in progress, at least and at most. */
const RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = 20;

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

/** What a fingerprint is made of, beside the body. None of them has a line break. */
export interface FingerprintedRequest {
  key: string;
  method: string;
  path: string;
}

/** What is stored of a customer's key. */
export function hashKey(customerId: string, key: string): Buffer {
  return hash('sha256', `${customerId} ${key}`, 'buffer');
}

/**
 * Begins the fingerprint of a request; its body follows. The key is in it, so that no body can be guessed from what is stored, unless the
 * key can.
 */
export function beginFingerprint(request: FingerprintedRequest): Hash {
  return createHash('sha256').update(textOf(request));
}

/** The fingerprint of a request with a small body, at once: a hash that takes several parts costs four times as much. */
export function fingerprintOf(request: FingerprintedRequest, body: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(textOf(request)), body]), 'buffer');
}

function textOf({ key, method, path }: FingerprintedRequest): string {
  return `${key}\n${method} ${path}\n`;
}

/** @throws ServiceError idempotency_key_reused unless the key was used for the same request */
export function assertSameRequest(request: RequestKey, fingerprint: Buffer): void {
  if (fingerprint.equals(request.fingerprint)) return;
  throw new ServiceError(
    'idempotency_key_reused',
    'You have used this Idempotency-Key for another request in the last 24 hours',
  );
}

/**
 * The key of a request whose end is not known yet. The longer it takes, the longer is the wait: an SDK gives up after a number of tries.
 * @param ageSeconds since the key was claimed
 */
export function keyInProgress(ageSeconds = 0): ServiceError {
  const seconds = Math.min(LONGEST_RETRY_SECONDS, Math.max(RETRY_SECONDS, Math.ceil(ageSeconds / 2)));
  return new ServiceError(
    'idempotency_key_in_progress',
    `A request with this Idempotency-Key is in progress; try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
  );
}
