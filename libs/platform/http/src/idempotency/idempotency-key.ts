import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@platform/errors';

export const IDEMPOTENCY_KEY = 'idempotency-key';
/** Characters that a key may have. */
export const KEY_MAX = 255;

/** An RFC 8941 string: in quotes, with a backslash before a quote or a backslash. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The Idempotency-Key of a request, without its quotes if it has some.
 * @throws ServiceError invalid_request
 */
export function readIdempotencyKey(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): string {
  const [given = '', ...more] = linesOf(request);
  if (more.length > 0) throw invalid('is there more than once');
  const key = QUOTED.exec(given)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? given;
  if (key === '') throw invalid('is empty');
  if (key.length > KEY_MAX) throw invalid(`may have ${KEY_MAX} characters at most`);
  if (!PRINTABLE.test(key)) throw invalid('may have printable ASCII characters only');
  return key;
}

/** The header's lines. Node joins several with a comma; to tell them apart it reads all headers anew. */
function linesOf(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): string[] {
  const joined = String(request.headers[IDEMPOTENCY_KEY] ?? '');
  return joined.includes(',') ? (request.headersDistinct[IDEMPOTENCY_KEY] ?? []) : [joined];
}

function invalid(fault: string): ServiceError {
  return new ServiceError('invalid_request', `The header Idempotency-Key ${fault}`);
}
