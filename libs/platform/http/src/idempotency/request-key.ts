import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginFingerprint, fingerprintOf, hashKey, type RequestKey } from '@platform/idempotency';
import type { SegmentedBytes } from '@platform/json';
import type { RequestWithBody } from '../body/request-body.guard';
import { readIdempotencyKey } from './idempotency-key';

/** Bytes of a body that are hashed before other requests get their turn. */
const TURN_BYTES = 1024 * 1024;

/** Bodies up to this size are copied to be hashed at once. */
const SMALL_BYTES = 16 * 1024;

/** The key of a request, and what tells its retries from other requests. @throws ServiceError invalid_request */
export async function requestKeyOf(request: RequestWithBody, customerId: string): Promise<RequestKey> {
  const { method, originalUrl, rawBody } = request;
  const key = readIdempotencyKey(request.raw);
  const [path = ''] = originalUrl.split('?');
  const fingerprinted = { key, method, path };
  const fingerprint =
    rawBody.length <= SMALL_BYTES
      ? fingerprintOf(fingerprinted, rawBody.joined())
      : await hashInTurns(beginFingerprint(fingerprinted), rawBody);
  return { customerId, key, hash: hashKey(customerId, key), fingerprint };
}

async function hashInTurns(fingerprint: ReturnType<typeof beginFingerprint>, body: SegmentedBytes): Promise<Buffer> {
  let hashed = 0;
  for (const piece of body.slice(0, body.length)) {
    fingerprint.update(piece);
    hashed += piece.length;
    if (hashed < TURN_BYTES) continue;
    hashed = 0;
    await nextTurn();
  }
  return fingerprint.digest();
}
