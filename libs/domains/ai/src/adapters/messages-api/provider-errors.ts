import type { SecretRedactor } from '@platform/secrets';
import { UpstreamCallError, type UpstreamFailureReason, type UpstreamReply } from '@platform/upstream';
import { UpstreamError } from '../../ports/ai-upstream.port';

/**
 * Signs of a message about the operator's own account with the provider. Such a message is not passed on to the
 * customer.
 */
const OPERATOR_ACCOUNT_TERMS =
  /(?<![a-z])(?:(?:credit|balance|plan|account)s?(?![a-z])|billing|organi[sz]ation|workspace|api.?key|token limit per|(?:rate|usage|spend(?:ing)?) limit|regain access)/i;
/** Signs of a message about the model that the operator has set. */
const OPERATOR_MODEL_TERMS = /^model\b|\bmodel\b.*\b(not found|not exist|no access|deprecated|retired)\b/i;
/** The provider's status for overload. */
const OVERLOADED = 529;
/** Refusals that pass: the provider's SDKs send the same request again. */
const PASSING: readonly number[] = [408, 409, 429, OVERLOADED];
/** Types of the provider's errors with a status of 4xx. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['invalid_request_error', 'authentication_error', 'billing_error', 'permission_error', 'not_found_error'],
  ...['request_too_large', 'rate_limit_error'],
]);
/** A type of the provider's errors. */
const ERROR_TYPE = /^\w{1,60}$/;
/** `Retry-After` of a call that was not made. */
const RETRY_SECONDS = 5;

const BROKEN_OFF = 'The connection to the AI provider broke before the answer was complete. You were not charged';
const TOO_LONG = 'The AI provider took too long to answer. You were not charged';
const STOPPING = 'The server is stopping. You were not charged; try again';
const DETAILS: Partial<Record<UpstreamFailureReason, string>> = {
  circuit_open: 'The AI provider is not available at present. You were not charged; try again later',
  share_used:
    'You have as many AI messages in progress as your share of the connections allows; wait until one of them has ended. You were not charged',
  busy: 'Too many calls wait for the AI provider. You were not charged; try again later',
  cancelled: STOPPING,
  shutdown: STOPPING,
  timeout_total: TOO_LONG,
  cut_off: BROKEN_OFF,
  disconnected: BROKEN_OFF,
  gone_silent: BROKEN_OFF,
};
const UNREACHABLE = 'The AI provider cannot be reached. You were not charged';
const UNREADABLE = "The AI provider's answer could not be read. You were not charged";

/** The error for a failed call; errors that are not the upstream's are returned unchanged. */
export function callFailed(redactor: SecretRedactor, error: unknown): unknown {
  if (!(error instanceof UpstreamCallError)) return error;
  return error.reply && error.reply.status >= 400 ? refused(redactor, error.reply) : unanswered(error);
}

/**
 * The error for a status of 4xx or 5xx. 401, 402, 403 and 404 concern the operator's account with the provider: the customer learns
 * that the provider refused, not why. A text about the request (400, 413) is passed on to the customer, one about the operator's account or
 * model to the operator, both shortened and redacted: a provider may repeat the key that it was called with.
 */
export function refused(redactor: SecretRedactor, reply: UpstreamReply): UpstreamError {
  const { status, headers, retryAfterMs } = reply;
  const { type, message: said, errorCode } = errorIn(reply.jsonObject());
  const message = redactor.foreignText(said);
  const overloaded = status === 429 || status === OVERLOADED;
  const rejected = status < 500 && !PASSING.includes(status);
  const isForOperator = message !== undefined && concernsOperator(message);
  const isForCustomer = message !== undefined && !isForOperator;
  const concernsRequest = status === 413 || (status === 400 && isForCustomer);
  const customerDetail = concernsRequest && isForCustomer;
  return new UpstreamError({
    code: rejected ? 'ai_upstream_rejected' : 'ai_upstream_failed',
    reason: `upstream ${status}${redactor.foreignId(type) ? ` ${type}` : ''}${isForOperator ? `: ${message}` : ''}`,
    detail: customerDetail
      ? `The AI provider rejected the request: ${message}`
      : rejected
        ? 'The AI provider rejected the request. You were not charged'
        : 'The AI provider failed. You were not charged; try again later',
    retryAfterSeconds: retryAfterMs && !rejected ? Math.ceil(retryAfterMs / 1000) : undefined,
    ...(concernsRequest && { refusal: { status, errorCode: redactor.foreignId(errorCode) } }),
    ...(overloaded && { refusal: { status: OVERLOADED } }),
    requestId: redactor.foreignId(headers['request-id']),
  });
}

/**
 * Whether a provider's message is about the operator's account with it, or the operator's model.
 * @param message as it would be shown, which is short: a provider may repeat much of what a customer sent
 */
function concernsOperator(message: string): boolean {
  return OPERATOR_ACCOUNT_TERMS.test(message) || OPERATOR_MODEL_TERMS.test(message);
}

/** The error for a call without a usable reply. */
export function unanswered({ reason, code, sent }: UpstreamCallError): UpstreamError {
  const notCalled = reason === 'circuit_open' || reason === 'busy' || reason === 'share_used';
  return new UpstreamError({
    code: reason === 'share_used' ? 'rate_limited' : 'ai_upstream_failed',
    reason: ['upstream', reason, code].filter(Boolean).join(' '),
    detail: DETAILS[reason] ?? (sent ? UNREADABLE : UNREACHABLE),
    ...(notCalled && { retryAfterSeconds: RETRY_SECONDS }),
    // A redirect is no answer.
    ...(sent && reason !== 'redirect' && { mayBeBilled: true }),
  });
}

/** The error for a reply that began, and does not follow the provider's documentation. @param code one of our constants */
export function unreadable(code: string): UpstreamError {
  const reason = `upstream unexpected ${code}`;
  return new UpstreamError({ code: 'ai_upstream_failed', reason, detail: UNREADABLE, mayBeBilled: true });
}

/** The error for a stream that ended before its message did. */
export function brokenOff(): UpstreamError {
  return new UpstreamError({
    code: 'ai_upstream_failed',
    reason: 'upstream cut_off NO_MESSAGE_STOP',
    detail: BROKEN_OFF,
    mayBeBilled: true,
  });
}

/** The error for an `error` event of a stream. @param data the event's data, parsed */
export function failedMidway(data: unknown): UpstreamError {
  const { type } = errorIn(data);
  return new UpstreamError({
    ...(type === 'overloaded_error' && { refusal: { status: OVERLOADED } }),
    code: 'ai_upstream_failed',
    reason: ['upstream error event', type].filter(Boolean).join(' '),
    detail: 'The AI provider failed before the answer was complete. You were not charged; try again',
  });
}

/** Whether an `error` event refuses the request, or the account: no failure of the provider. @param data the event's data, parsed */
export function isRefusal(data: unknown): boolean {
  const { type } = errorIn(data);
  return type !== undefined && REFUSALS.has(type);
}

/** The provider's description of an error. The body of a refusal need not be JSON: a proxy answers in HTML. */
function errorIn(data: unknown): { type?: string; message?: unknown; errorCode?: string } {
  const { type, message, details } = (data as { error?: ProviderError | null } | null)?.error ?? {};
  const typed = (value: unknown) => (typeof value === 'string' && ERROR_TYPE.test(value) ? value : undefined);
  return { type: typed(type), message, errorCode: typed(details?.error_code) };
}

interface ProviderError {
  type?: unknown;
  message?: unknown;
  details?: { error_code?: unknown } | null;
}
