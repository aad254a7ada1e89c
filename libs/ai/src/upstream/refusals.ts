import { foreignId, foreignText, type SecretRedactor } from '@app/secrets';
import { UpstreamError } from './upstream-error';

const LONGEST_WAIT_SECONDS = 3600;
/** What a provider's message may say of the operator's own account; such a message is not passed on. */
const OPERATORS_BUSINESS =
  /credit|balance|billing|plan|organi[sz]ation|workspace|account|api.?key|token limit per|rate limit/i;

interface ErrorBody {
  error?: { type?: unknown; message?: unknown };
}

/**
 * What a status other than 200 means. 401, 402, 403, 404 and 429 are the operator's trouble with the provider: the
 * customer learns that it refused, not why. What is wrong with the request itself (400, 413) the customer may read,
 * bounded and without secrets: a provider may repeat the key that it was called with.
 */
export function refusal(
  redactor: SecretRedactor,
  status: number,
  body: Buffer,
  headers: { requestId?: string; retryAfter?: string },
): UpstreamError {
  const { type, message: said } = errorOf(body);
  const message = foreignText(redactor, said);
  const rejected = status >= 400 && status < 500;
  const told = (status === 400 || status === 413) && message !== undefined && !OPERATORS_BUSINESS.test(said as string);
  return new UpstreamError({
    code: rejected ? 'ai_upstream_rejected' : 'ai_upstream_failed',
    reason: `upstream ${status}${foreignId(redactor, type) ? ` ${type}` : ''}`,
    detail: told
      ? `The AI provider rejected the request: ${message}`
      : rejected
        ? 'The AI provider rejected the request. You were not charged'
        : 'The AI provider failed. You were not charged; try again later',
    down: status >= 500,
    retryAfterSeconds: status === 429 || status >= 500 ? waitOf(headers.retryAfter) : undefined,
    requestId: foreignId(redactor, headers.requestId),
  });
}

function errorOf(body: Buffer): { type?: string; message?: unknown } {
  try {
    const { error } = (JSON.parse(body.toString()) ?? {}) as ErrorBody;
    return {
      type: typeof error?.type === 'string' && /^\w{1,60}$/.test(error.type) ? error.type : undefined,
      message: error?.message,
    };
  } catch {
    // A refusal need not be JSON: a proxy in between answers in HTML.
    return {};
  }
}

function waitOf(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter);
  return retryAfter && Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_WAIT_SECONDS) : undefined;
}
