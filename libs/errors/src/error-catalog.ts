/**
 * Every code an error reply can carry (specification §7, design §4), with its HTTP status and its title. A code is a
 * promise to callers: it never changes its meaning.
 */
export const errorCatalog = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'A valid bearer token is required' },
  credit_exhausted: { status: 402, title: 'The AI credit is used up' },
  insufficient_scope: { status: 403, title: 'The token lacks a scope' },
  ai_disabled: { status: 403, title: 'AI is not enabled for this customer' },
  ai_not_configured: { status: 403, title: 'No AI model or key is configured for this customer' },
  sms_disabled: { status: 403, title: 'SMS is not enabled for this customer' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The resource does not support this method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  too_many_pending_requests: { status: 409, title: 'Too many credit requests are waiting' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The request body must be JSON' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal_error: { status: 500, title: 'Unexpected error' },
  ai_upstream_rejected: { status: 502, title: 'The AI provider rejected the request' },
  ai_upstream_failed: { status: 502, title: 'The AI provider failed' },
  sms_gateway_rejected: { status: 502, title: 'The SMS gateway rejected the message' },
  sms_gateway_failed: { status: 502, title: 'The SMS gateway failed' },
  service_unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A code of the catalog. */
export type ErrorCode = keyof typeof errorCatalog;
