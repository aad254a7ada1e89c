/** Description of an error code for callers: in replies, in the OpenAPI document and on the page `/docs/errors`. */
export interface ErrorCatalogEntry {
  /** HTTP status of the reply. */
  status: number;
  /** The kind of error in a few words; the same in every reply. */
  title: string;
  /** What the caller can do, in plain text. */
  advice: string;
  /** An example of the `detail`. */
  example: string;
}

/**
 * Every code an error reply can carry, with its HTTP status and its title. A code is a
 * promise to callers: it never changes its meaning.
 */
export const errorCatalog = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    advice:
      'Correct the fault that detail names; errors points at each field or query parameter. Sent again unchanged, it fails again.',
    example: 'amount_nok must be from 100 to 50000',
  },
  unauthorized: {
    status: 401,
    title: 'A valid bearer token is required',
    advice:
      'Send a service token as Authorization: Bearer cas_live_…. If it was deactivated or has expired, ask the operator for a new one.',
    example: 'The token is mistyped or cut off: copy all of it, from cas_live_ to the last character',
  },
  credit_exhausted: {
    status: 402,
    title: 'The AI credit is used up',
    advice:
      'GET /ai shows the remaining credit. Ask for more with POST /ai/credit-requests; it is added when the operator approves.',
    example: 'Your AI credit does not cover this message; ask for more with POST /ai/credit-requests',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token lacks a scope',
    advice:
      'Ask the operator for a token that has the scope named in detail. Scopes of an existing token do not change.',
    example: 'The token lacks the scope ai:use',
  },
  ai_disabled: {
    status: 403,
    title: 'AI is not enabled for this customer',
    advice: 'Ask the operator to enable AI for you.',
    example: 'AI is not enabled for you; ask the operator',
  },
  ai_not_configured: {
    status: 403,
    title: 'No AI model or key is configured for this customer',
    advice: 'Ask the operator to finish the configuration of AI for you.',
    example: 'No AI model or key is configured for you; ask the operator',
  },
  sms_disabled: {
    status: 403,
    title: 'SMS is not enabled for this customer',
    advice: 'Ask the operator to enable SMS for you.',
    example: 'The operator has not enabled SMS for this customer',
  },
  forbidden: {
    status: 403,
    title: 'This address is not served',
    advice: 'Check the address: a path of the documentation has no empty parts, no .. and no control characters.',
    example: 'Nothing is served at such an address',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice:
      'Check the address: it begins with /api/v1 and has no capitals and no slash at the end. A record of another customer is not found either.',
    example: 'There is nothing at this address; did you mean /api/v1/customer?',
  },
  method_not_allowed: {
    status: 405,
    title: 'The resource does not support this method',
    advice: 'Use one of the methods in the Allow header.',
    example: 'Use GET or HEAD here',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    advice: 'Send it again, all of it at once; a request has 120 seconds to arrive.',
    example: 'The request did not arrive in time',
  },
  too_many_pending_requests: {
    status: 409,
    title: 'Too many credit requests are waiting',
    advice: 'Wait until the operator has decided on one of those that GET /ai/credit-requests?status=pending lists.',
    example: 'Too many of your credit requests are waiting for the operator',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress',
    advice:
      'Wait for the seconds in Retry-After, then send it again, unchanged: you get the reply of the first one, or it runs if that had no effect.',
    example: 'A request with this Idempotency-Key is in progress; try again in 2 s',
  },
  idempotency_reply_not_kept: {
    status: 409,
    title: 'The request is done, and its reply was not kept',
    advice:
      'Do not send it again under another key: it was done once. Its reply was too large to be kept; detail names the record that it made.',
    example:
      'The request is done, but its reply was too large to be kept: see 0198c9b2-5a3e-7c41-8f60-2b8f6f0f6a51; it was not run again',
  },
  ticket_closed: {
    status: 409,
    title: 'The ticket is closed',
    advice: 'Open a new ticket, and name the closed one in it. Only the operator can open a closed ticket again.',
    example: 'The ticket is closed; open a new one and name this one in it',
  },
  ticket_full: {
    status: 409,
    title: 'The ticket has too many replies',
    advice: 'Continue in a new ticket, and name this one in it.',
    example: 'The ticket has 200 replies; open a new one',
  },
  precondition_failed: {
    status: 412,
    title: 'The file is not the one that the request asks for',
    advice: 'Send it without If-Match and If-Unmodified-Since, or with the values of the last reply.',
    example: 'The file is not the one that If-Match or If-Unmodified-Since names',
  },
  payload_too_large: {
    status: 413,
    title: 'The request body is too large',
    advice: 'Send less; detail names the limit.',
    example: 'The body may have 262144 bytes at most',
  },
  uri_too_long: {
    status: 414,
    title: 'The address is too long',
    advice: 'Shorten the query.',
    example: 'The address has more than 16 KB',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The request body must be JSON',
    advice: 'Send the header Content-Type: application/json and a body in UTF-8.',
    example: 'Send the body as application/json in UTF-8',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file has no such range',
    advice: 'Send it without Range, or with a range within the file.',
    example: 'The file has no bytes in the range that Range names',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    advice:
      'Use a new key for every new request. Only a retry of the same method, path and body has the key of the first try.',
    example: 'You have used this Idempotency-Key for another request within 24 hours',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for the seconds in Retry-After, then send it again. The X-RateLimit- headers show how close you are.',
    example: 'At most 600 requests a minute; try again in 12 s',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    advice: 'Send fewer or shorter headers and a shorter address: 16 KB in all.',
    example: 'The address and the headers have more than 16 KB together',
  },
  internal_error: {
    status: 500,
    title: 'Unexpected error',
    advice: 'It is a fault of the service. If it stays, tell the operator the request_id.',
    example: 'The request failed for a reason on our side; quote the request id to the operator',
  },
  ai_upstream_rejected: {
    status: 502,
    title: 'The AI provider rejected the request',
    advice: 'Read detail: it has the reason of the provider where that concerns your message. You were not charged.',
    example: 'The AI provider rejected the request: messages: roles must alternate',
  },
  ai_upstream_failed: {
    status: 502,
    title: 'The AI provider failed',
    advice: 'Send it again after a pause. You were not charged.',
    example: 'The AI provider answered too late. You were not charged',
  },
  sms_gateway_rejected: {
    status: 502,
    title: 'The SMS gateway rejected the message',
    advice: 'It was not sent and will not be. Check the recipient; detail has the reason where the gateway gave one.',
    example: 'The SMS gateway rejected the message; nothing was sent',
  },
  sms_gateway_failed: {
    status: 502,
    title: 'The SMS gateway failed',
    advice:
      'Read detail: either it was not sent and can be sent again, or the outcome is unknown; then check GET /sms/log first.',
    example: 'The SMS gateway could not be used; nothing was sent, try again later',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    advice: 'Wait for the seconds in Retry-After, then send it again.',
    example: 'Try again in a moment',
  },
} as const satisfies Record<string, ErrorCatalogEntry>;

/** A code of the catalog. */
export type ErrorCode = keyof typeof errorCatalog;

/** Page of the service that explains every code, from the root of its address. */
export const ERROR_PAGE = '/docs/errors';

/**
 * A code's `type` (RFC 9457 §3.1.1): a relative reference with its full path. It leads to the page on the server that
 * answered, and is the same text on every replica, at every address of the service and in the proxy in front of it, so
 * that it can be compared.
 */
export function problemType(code: ErrorCode): string {
  return `${ERROR_PAGE}#${code}`;
}
