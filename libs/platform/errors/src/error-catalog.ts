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
 * Every code an error reply to a customer can carry, with its HTTP status and its title. A code is a
 * promise to callers: it never changes its meaning.
 */
export const errorCatalog = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    advice:
      'Correct the fault that detail describes before you send the request again. The list errors, if present, points at each faulty field or query parameter.',
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
      'Read detail. If your credit does not cover the message, ask for more with POST /ai/credit-requests; the operator adds it on approval. ' +
      'If messages in progress have reserved the credit, send the message again after the seconds in Retry-After. ' +
      'If the limit of the month is reached, ask the operator to raise it, or wait for the next month. GET /ai shows the amounts.',
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
    advice: 'Send the whole request again without pauses. It must arrive within 120 seconds.',
    example: 'The request did not arrive in time',
  },
  too_many_pending_requests: {
    status: 409,
    title: 'Too many credit requests are waiting',
    advice: 'Wait until the operator has decided on one of them. GET /ai/credit-requests?status=pending lists them.',
    example: 'Too many of your credit requests are waiting for the operator',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress',
    advice:
      'Wait for the seconds in Retry-After, then send the same request again. If the first request had an effect, you get its reply. Otherwise the new request runs.',
    example: 'A request with this Idempotency-Key is in progress; try again in 2 s',
  },
  idempotency_reply_not_kept: {
    status: 409,
    title: 'The request is done, but its reply is unavailable',
    advice:
      'Do not send the request again with another key: it was done once. detail says why its reply is not available, and has the id of its record if that is an SMS or a charged AI message.',
    example:
      'The request was done once, but its reply was too large to be kept, or there was no room to keep it. The id of its record is 0198c9b2-5a3e-7c41-8f60-2b8f6f0f6a51',
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
  too_many_webhook_endpoints: {
    status: 409,
    title: 'There are too many webhook endpoints',
    advice: 'Delete an endpoint that you do not need, or have one endpoint get more types of events.',
    example: 'You have 10 webhook endpoints already',
  },
  webhook_endpoint_disabled: {
    status: 409,
    title: 'The webhook endpoint is disabled',
    advice:
      'Enable it with PATCH /webhooks/endpoints/{id} and {"enabled": true}, then send the request again. If the operator has disabled it, ask the operator.',
    example: 'The endpoint is disabled; enable it first',
  },
  precondition_failed: {
    status: 412,
    title: 'The file does not meet the request conditions',
    advice: 'Send the request without If-Match and If-Unmodified-Since, or with the values of the last reply.',
    example: 'The file has changed: it does not meet If-Match or If-Unmodified-Since',
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
    example: 'The address may have 8 kB at most',
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
    advice: 'Send the request without Range, or with a range within the file.',
    example: 'The file has no bytes in the range that Range names',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    advice: 'Use a new key for every new request. Send a key again only with the same method, path and body.',
    example: 'You have used this Idempotency-Key for another request in the last 24 hours',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice:
      'Wait for the seconds in Retry-After, then send the request again. detail names the limit. The X-RateLimit- headers show how many requests are left in this minute.',
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
    advice: 'This is a fault of the service. If it persists, tell the operator the request_id.',
    example: 'The request failed because of a fault of the service; quote the request id to the operator',
  },
  ai_upstream_rejected: {
    status: 502,
    title: 'The AI provider rejected the request',
    advice:
      'If the reason concerns your message, detail has it: correct the message. Otherwise tell the operator the request_id. You were not charged.',
    example: 'The AI provider rejected the request: messages: roles must alternate',
  },
  ai_upstream_failed: {
    status: 502,
    title: 'The AI provider failed',
    advice: 'Send the message again after a pause: the seconds in Retry-After, if present. You were not charged.',
    example: 'The AI provider took too long to answer. You were not charged',
  },
  sms_gateway_rejected: {
    status: 502,
    title: 'The SMS gateway rejected the message',
    advice:
      'The message was not sent and will not be sent. Check its recipient and its text; detail says which of them the gateway refused, if the gateway said so.',
    example: 'The SMS gateway rejected the message; nothing was sent',
  },
  sms_gateway_failed: {
    status: 502,
    title: 'The SMS gateway failed',
    advice:
      'Read detail. If nothing was sent, send the message again later. If the message may have been sent, read its status with GET /sms/log before you send it again.',
    example: 'The SMS gateway is not available; nothing was sent. Try again later',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    advice:
      'If detail names a receipt, read the receipt first. Wait for the seconds in Retry-After, or a few seconds without that header. ' +
      'Then send the request again, a POST with the same Idempotency-Key.',
    example: 'Try again in a moment',
  },
} as const satisfies Record<string, ErrorCatalogEntry>;

/** Codes that only the operator's API has, with what the catalog says of them. Customers never get one. */
export const operatorErrorCatalog = {
  login_required: {
    status: 401,
    title: 'You are not logged in',
    advice: 'Log in. A session ends after 12 hours, after 30 minutes without a request, and when it is revoked.',
    example: 'Your session has ended; log in again',
  },
  login_failed: {
    status: 401,
    title: 'The login failed',
    advice: 'Read detail. A link can be used once, for ten minutes: an administrator makes a new one.',
    example: 'The link was used, has expired, or is mistyped; ask an administrator for a new one',
  },
  role_required: {
    status: 403,
    title: 'Your role does not allow this',
    advice: 'Ask an administrator to do it, or to change your role. detail names the roles that may.',
    example: 'This needs the role billing or admin; yours is viewer',
  },
  fresh_login_required: {
    status: 403,
    title: 'This needs a fresh login',
    advice: 'Log in again, which takes a moment, and send the request again within five minutes.',
    example: 'Log in again: your last login is more than 5 minutes ago',
  },
  cross_site_request: {
    status: 403,
    title: 'The request comes from another site',
    advice:
      'Requests that change something carry the header Origin with the address of the operator API, as those of its own pages do.',
    example: 'A request that changes something must come from the pages of this address',
  },
} as const satisfies Record<string, ErrorCatalogEntry>;

/** A code that a reply can carry. */
export type ErrorCode = CustomerErrorCode | keyof typeof operatorErrorCatalog;
/** A code that customers can get. */
export type CustomerErrorCode = keyof typeof errorCatalog;

/** What the catalog says of every code. */
export const allErrors: Readonly<Record<ErrorCode, ErrorCatalogEntry>> = { ...errorCatalog, ...operatorErrorCatalog };

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
