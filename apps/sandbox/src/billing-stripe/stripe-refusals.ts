import { type Answer } from '../shared/answer';
import { standing } from '../shared/credentials';
import { type Directives } from '../shared/faults/directives';
import { stripeError } from './stripe-errors';

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
