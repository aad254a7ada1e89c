import { type Answer, json, plainText } from '../shared/answer';

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

export const LOW_BALANCE = 'Your credit balance is too low to access the Anthropic API.';

/** An error in the API's own format. 413 comes from the proxy before the API and is plain text. */
export function apiError(status: number, requestId: string, message = `The sandbox answers ${status}`): Answer {
  const headers = { 'request-id': requestId };
  if (status === 413) return plainText(413, 'Request Entity Too Large', headers);
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return json(status, { type: 'error', error: { type, message }, request_id: requestId }, headers);
}

/** The API's 429 with its rate limit headers. */
export function rateLimited(requestId: string, retryAfterSeconds: number): Answer {
  const answer = apiError(429, requestId, 'This request would exceed the rate limit');
  Object.assign(answer.headers, {
    'retry-after': String(retryAfterSeconds),
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': new Date(Date.now() + retryAfterSeconds * 1000).toISOString(),
  });
  return answer;
}
