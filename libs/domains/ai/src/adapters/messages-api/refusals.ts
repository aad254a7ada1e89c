import { foreignId, foreignText, type SecretRedactor } from '@platform/secrets';
import type { UpstreamReply } from '@platform/upstream';
import { UpstreamError } from '../../ports/upstream-error';

/**
 * Signs of a message about the operator's own account with the provider. Such a message is not passed on to the
 * customer.
 */
const OPERATOR_ACCOUNT_TERMS =
  /credit|balance|billing|plan|organi[sz]ation|workspace|account|api.?key|token limit per|rate limit/i;

interface ErrorBody {
  error?: { type?: unknown; message?: unknown } | null;
}

/**
 * What a status of 4xx or 5xx means. 401, 402, 403, 404 and 429 concern the operator's account with the provider: the
 * customer learns that the provider refused, not why. The text about a faulty request (400, 413) is passed on to the
 * customer, shortened and redacted: a provider may repeat the key that it was called with.
 */
export function refusal(redactor: SecretRedactor, reply: UpstreamReply): UpstreamError {
  const { status, headers, retryAfterMs } = reply;
  const { type, message: said } = errorOf(reply.jsonObject());
  const message = foreignText(redactor, said);
  const rejected = status >= 400 && status < 500;
  const customerDetail =
    (status === 400 || status === 413) && message !== undefined && !OPERATOR_ACCOUNT_TERMS.test(said as string);
  return new UpstreamError({
    code: rejected ? 'ai_upstream_rejected' : 'ai_upstream_failed',
    reason: `upstream ${status}${foreignId(redactor, type) ? ` ${type}` : ''}`,
    detail: customerDetail
      ? `The AI provider rejected the request: ${message}`
      : rejected
        ? 'The AI provider rejected the request. You were not charged'
        : 'The AI provider failed. You were not charged; try again later',
    retryAfterSeconds: retryAfterMs && (status === 429 || status >= 500) ? Math.ceil(retryAfterMs / 1000) : undefined,
    requestId: foreignId(redactor, headers['request-id']),
  });
}

/** The body of a refusal may be something else than JSON: a proxy answers in HTML. */
function errorOf(body: ErrorBody = {}): { type?: string; message?: unknown } {
  const { type, message } = body.error ?? {};
  return { type: typeof type === 'string' && /^\w{1,60}$/.test(type) ? type : undefined, message };
}
