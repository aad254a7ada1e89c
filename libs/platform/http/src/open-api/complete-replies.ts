import type { ErrorCode } from '@platform/errors';
import { type DeclaredProblems, takeDeclaredProblems } from './problems/declared-problems';
import { isRetriable } from './describe-idempotency';
import { type Document, operationsOf, type Operation } from './document';
import { problemReplies } from './problems/problem-reply';

/** Errors that any request can get before its route is found, and errors that any body can cause. */
const ANY_REQUEST: ErrorCode[] = ['invalid_request', 'headers_too_large'];
const ANY_BODY: ErrorCode[] = ['request_timeout', 'payload_too_large', 'unsupported_media_type'];

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 },
  example,
});
const HEADERS = {
  'X-Request-Id': {
    description: "The request's id: your own if you sent one, else made up. Quote it to the operator.",
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w.~:+/=-]{1,128}$' },
    example: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
  },
  'Request-Id': {
    description: 'The same, under the name that SDKs of AI providers read.',
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w.~:+/=-]{1,128}$' },
    example: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
  },
  'X-RateLimit-Limit': integer('Requests that the limit nearest to being reached allows in a minute.', 600),
  'X-RateLimit-Remaining': integer('Requests that are left of it.', 599),
  'X-RateLimit-Reset': integer('Seconds until it starts anew.', 42),
  'Idempotency-Replayed': {
    description: '`true`: this is the reply of the first request with this Idempotency-Key, sent again.',
    schema: { type: 'string', enum: ['true'], maxLength: 4 },
    example: 'true',
  },
  'Retry-After': integer('Seconds after which to try again.', 12),
  'WWW-Authenticate': {
    description: 'What is wrong with the token (RFC 6750).',
    schema: { type: 'string', maxLength: 200 },
    example: 'Bearer error="invalid_token"',
  },
};

/** Adds the replies that every operation can give, and the headers of every reply. */
export function completeReplies(document: Document): void {
  document.components.headers = HEADERS;
  for (const operation of operationsOf(document)) {
    addProblems(document, operation);
    for (const [status, reply] of Object.entries(operation.responses)) {
      const replayed = isRetriable(operation) && /^(2..|502)$/.test(status) ? (['Idempotency-Replayed'] as const) : [];
      reply.headers = {
        ...reply.headers,
        ...Object.fromEntries(
          [...headersOf(status), ...replayed].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
      };
    }
  }
}

function addProblems(document: Document, operation: Operation): void {
  const codes = operation.requestBody ? [...ANY_REQUEST, ...ANY_BODY] : ANY_REQUEST;
  const problems: DeclaredProblems = {
    ...Object.fromEntries(codes.map((code) => [code, null])),
    ...takeDeclaredProblems(operation),
  };
  operation.responses = { ...operation.responses, ...problemReplies(document, operation, problems) };
}

function headersOf(status: string): (keyof typeof HEADERS)[] {
  const always = [
    'X-Request-Id',
    'Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ] as const;
  if (status === '409' || status === '429' || status === '503') return [...always, 'Retry-After'];
  if (status === '401' || status === '403') return [...always, 'WWW-Authenticate'];
  return [...always];
}
