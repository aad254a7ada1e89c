import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@app/errors';

/** Parses a body. @throws ServiceError invalid_request for what is not one JSON object in UTF-8. */
export function parseJson(bytes: Buffer): Record<string, unknown> {
  const refuse = (detail: string) => new ServiceError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
  if (bytes.length === 0) throw refuse('A JSON body is required');
  if (!isUtf8(bytes)) throw refuse('The body is not UTF-8');
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString());
  } catch {
    throw refuse('The body is not valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refuse('The body must be a JSON object');
  return body as Record<string, unknown>;
}
