import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@platform/errors';
import { invalidBody } from './body-faults';

/** Detail of the error for a missing body. */
export const NO_BODY = 'The request has no body; send a JSON object, with the header Content-Type: application/json';
const HOW = 'Send the body as application/json in UTF-8';

/** Refuses a request whose headers announce no body, or one that is not JSON. @throws ServiceError */
export function assertJsonBody(headers: IncomingHttpHeaders): void {
  if (!hasBody(headers)) throw invalidBody(NO_BODY);
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Send the body as it is: Content-Encoding is not supported');
  const type = headers['content-type']?.trim() ?? '';
  if (!isJson(type)) throw new ServiceError('unsupported_media_type', adviceFor(type));
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isJson(type: string): boolean {
  return /^application\/json\s*(;\s*(charset\s*=\s*"?utf-?8"?\s*)?)*$/i.test(type);
}

function adviceFor(type: string): string {
  if (type === '') return `${HOW}; the header Content-Type is missing`;
  return /^application\/x-www-form-urlencoded/i.test(type)
    ? `${HOW}; it came as a form, as curl -d sends it without the header Content-Type: application/json`
    : HOW;
}
