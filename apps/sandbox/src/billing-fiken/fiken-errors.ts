import { type Answer, json } from '../shared/answer';
import { standing } from '../shared/credentials';
import { type Directives } from '../shared/faults/directives';

const TOO_MANY = 'Too many requests';

/** An error in the format of Fiken's login; for the rest of the API only the status is documented. */
export function fikenError(status: number, description: string, headers: Record<string, string> = {}): Answer {
  const error = status === 401 ? 'invalid_token' : status < 500 ? 'bad_request' : 'server_error';
  return json(status, { error, error_description: description }, headers);
}

export function tooManyRequests(retryAfterSeconds: number): Answer {
  return fikenError(429, TOO_MANY, { 'retry-after': String(retryAfterSeconds) });
}

export function refuseToken(token: string | undefined): Answer | undefined {
  switch (standing(token)) {
    case 'missing':
    case 'invalid':
      return fikenError(401, 'The access token is missing or invalid', { 'www-authenticate': 'Bearer' });
    case 'forbidden':
      return fikenError(403, 'The access token does not give access to this company');
    case 'good':
      return undefined;
  }
}

export function refuseByDirective(directives: Directives): Answer | undefined {
  const status = directives.number('status');
  if (status === undefined || status === 200) return undefined;
  const text = status === 429 ? TOO_MANY : `The sandbox answers ${status}`;
  return fikenError(status, text, directives.retryAfter(status));
}
