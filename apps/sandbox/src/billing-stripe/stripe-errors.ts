import { type Answer, json } from '../shared/answer';
import { standing } from '../shared/credentials';
import type { Directives } from '../shared/faults/directives';

/** Fields of the `error` object besides its message. */
interface StripeErrorDetails {
  code?: string;
  param?: string;
}

/** A request that Stripe refuses. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: StripeErrorDetails = {},
  ) {
    super(message);
  }
}

/** An error in Stripe's own format. */
export function stripeError(
  status: number,
  requestId: string,
  message: string,
  details: StripeErrorDetails = {},
): Answer {
  const type = status >= 500 ? 'api_error' : 'invalid_request_error';
  return json(status, { error: { ...details, message, type } }, { 'request-id': requestId });
}

export function refuseKey(key: string | undefined, requestId: string): Answer | undefined {
  switch (standing(key)) {
    case 'missing':
      return stripeError(401, requestId, 'You did not provide an API key.');
    case 'invalid':
      return stripeError(401, requestId, 'Invalid API Key provided');
    case 'forbidden':
      return stripeError(403, requestId, 'The provided key does not have access');
    case 'good':
      return undefined;
  }
}

export function refuseByDirective(directives: Directives, requestId: string): Answer | undefined {
  const status = directives.number('status');
  if (status === undefined || status === 200) return undefined;
  const details = status === 429 ? { code: 'rate_limit' } : {};
  const answer = stripeError(status, requestId, `The sandbox answers ${status}`, details);
  Object.assign(answer.headers, directives.retryAfter(status));
  return answer;
}
