import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginFingerprint, hashKey, type RequestKey } from '@platform/idempotency';
import type { RequestWithBody } from '../body/request-body.guard';
import { readIdempotencyKey } from './idempotency-key';

/** Bytes of a body that are hashed before other requests get their turn. */
const TURN_BYTES = 1024 * 1024;

/** The key of a request, and what tells its retries from other requests. @throws ServiceError invalid_request */
export async function requestKeyOf(request: RequestWithBody, customerId: string): Promise<RequestKey> {
  const key = readIdempotencyKey(request.raw);
  const [path = ''] = request.originalUrl.split('?');
  const fingerprint = beginFingerprint(key, request.method, path);
  let hashed = 0;
  for (const piece of request.rawBody.slice(0, request.rawBody.length)) {
    fingerprint.update(piece);
    hashed += piece.length;
    if (hashed < TURN_BYTES) continue;
    hashed = 0;
    await nextTurn();
  }
  return { customerId, key, hash: hashKey(customerId, key), fingerprint: fingerprint.digest() };
}
