import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@platform/errors';
import { isWellFormed, TOKEN_PREFIX } from '@platform/tokens';

const INVALID = { bearer: { error: 'invalid_token' } } as const;
const HOW = 'Send a service token in the header Authorization: Bearer cas_live_…';

/**
 * The bearer token of RFC 6750 §2.1; a token in the body or query is not accepted. @throws ServiceError unauthorized
 */
export function bearerToken(header: string | undefined): string {
  if (header === undefined) throw new ServiceError('unauthorized', HOW);
  const [, scheme = '', token = ''] = /^(\S*) *(.*)$/.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'bearer') {
    const bare = scheme.startsWith(TOKEN_PREFIX);
    throw new ServiceError('unauthorized', bare ? 'Put the word Bearer and a space before the token' : HOW);
  }
  if (token === '') throw new ServiceError('unauthorized', 'The Authorization header has no token', INVALID);
  return token;
}

/** The token in `X-Api-Key`; undefined if there is none, or if there is an `Authorization`, which comes first. */
export function apiKeyToken({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined && typeof key === 'string' && key !== '' ? key : undefined;
}

/** The error for a token that is not valid, with the reason if the token itself shows it. */
export function refusedToken(token: string): ServiceError {
  return new ServiceError('unauthorized', reasonOf(token), INVALID);
}

function reasonOf(token: string): string {
  if (isWellFormed(token))
    return 'The token is unknown, was deactivated or has expired; ask the operator for a new one';
  if (token.startsWith(TOKEN_PREFIX))
    return `The token is mistyped or cut off: copy all of it, from ${TOKEN_PREFIX} to the last character`;
  return `This is no service token: one begins with ${TOKEN_PREFIX}, without quotes or brackets around it`;
}
