import { type Answer, json, plainText } from '../shared/answer';
import { bearerToken, standing } from '../shared/credentials';
import type { Directives } from '../shared/faults/directives';
import type { ReceivedRequest } from '../shared/faults/upstream-control';
import { API_VERSIONS, type ApiVersion } from './prompt';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const LOW_BALANCE = 'Your credit balance is too low to access the Anthropic API.';
const USAGE_LIMIT =
  'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.';

/** An error in the API's own format. 413 comes from the proxy before the API and is plain text. */
export function apiError(status: number, requestId: string, message = `The sandbox answers ${status}`): Answer {
  const headers = { 'request-id': requestId };
  if (status === 413) return plainText(413, 'Request Entity Too Large', headers);
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return json(status, { type: 'error', error: { type, message }, request_id: requestId }, headers);
}

/** The API's 429 with its rate limit headers. */
function rateLimited(requestId: string, retryAfterSeconds: number): Answer {
  const answer = apiError(429, requestId, 'This request would exceed the rate limit');
  Object.assign(answer.headers, {
    'retry-after': String(retryAfterSeconds),
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': new Date(Date.now() + retryAfterSeconds * 1000).toISOString(),
  });
  return answer;
}

/** Refuses a request for its headers, as the API does before it reads the body. */
export function refuseHeaders({ headers }: Pick<ReceivedRequest, 'headers'>, requestId: string): Answer | undefined {
  switch (standing(keyOf(headers))) {
    case 'missing':
      return apiError(401, requestId, 'x-api-key header is required');
    case 'invalid':
      return apiError(401, requestId, 'invalid x-api-key');
    case 'forbidden':
      return apiError(403, requestId, 'This API key may not use the requested resource');
    case 'good':
      break;
  }
  const version = headers['anthropic-version'];
  if (version === undefined) return apiError(400, requestId, 'anthropic-version: header is required');
  return versionOf(headers)
    ? undefined
    : apiError(400, requestId, `anthropic-version: "${String(version)}" is not a valid version`);
}

/** Keys travel in x-api-key or, as the official SDK sends them since its 1.0, as a bearer token. */
function keyOf(headers: ReceivedRequest['headers']): string {
  return String((headers['x-api-key'] || bearerToken(headers.authorization)) ?? '');
}

/** The API version that the client asks for; undefined if there is no such version. */
export function versionOf(headers: ReceivedRequest['headers']): ApiVersion | undefined {
  return API_VERSIONS.find((version) => version === headers['anthropic-version']);
}

/** Refuses a request because its directives ask for it. */
export function refuseByDirective(
  { headers }: ReceivedRequest,
  directives: Directives,
  requestId: string,
): Answer | undefined {
  const key = directives.text('api-key');
  if (key !== undefined && key !== keyOf(headers)) return apiError(401, requestId, 'invalid x-api-key');
  if (directives.has('low-balance')) return apiError(400, requestId, LOW_BALANCE);
  // The limit that the account's owner has set is a 400; the cap of its usage tier, a 429 without Retry-After.
  if (directives.has('usage-limit')) return apiError(400, requestId, USAGE_LIMIT);
  if (directives.has('spend-limit')) return apiError(429, requestId, 'You have reached your spend limit');
  const status = directives.number('status');
  if (status === undefined || status === 200) return undefined;
  return status === 429 ? rateLimited(requestId, directives.number('retry-after') ?? 1) : apiError(status, requestId);
}
