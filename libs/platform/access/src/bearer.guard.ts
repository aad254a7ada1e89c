import type { IncomingHttpHeaders } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { type RouteRules, rulesOf } from '@platform/http';
import { type AuthenticatedCustomer, isWellFormed, TOKEN_PREFIX, TokenAuthenticatorService } from '@platform/tokens';

const INVALID = { bearer: { error: 'invalid_token' } } as const;
const HOW = 'Send a service token in the header Authorization: Bearer cas_live_…';

/**
 * Authenticates every request by its bearer token and requires the scope of its route, unless the route is public. A route
 * without declared access is always refused.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly authenticator: TokenAuthenticatorService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { access, takesApiKey } = rulesOf(context);
    if (access === 'public') return true;
    const request = context.getArgByIndex<FastifyRequest>(0);
    const token = (takesApiKey && apiKeyToken(request.headers)) || bearerToken(request.headers.authorization);
    const found = this.authenticator.authenticate(token);
    return found instanceof Promise
      ? found.then((customer) => admit(request, customer, token, access))
      : admit(request, found, token, access);
  }
}

/** @throws ServiceError unauthorized if there is no customer; insufficient_scope */
function admit(
  request: FastifyRequest,
  customer: AuthenticatedCustomer | undefined,
  token: string,
  access: Exclude<RouteRules['access'], 'public'>,
): true {
  if (!customer) throw refusedToken(token);
  request.customer = customer;
  if (access === 'any') return true;
  if (access === undefined) throw new ServiceError('insufficient_scope', 'This address is closed');
  if (customer.scopes.has(access)) return true;
  throw new ServiceError('insufficient_scope', `The token lacks the scope ${access}`, {
    bearer: { error: 'insufficient_scope', scope: access },
  });
}

/**
 * The bearer token of RFC 6750 §2.1; a token in the body or query is not accepted. @throws ServiceError unauthorized
 */
function bearerToken(header: string | undefined): string {
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
function apiKeyToken({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined && typeof key === 'string' && key !== '' ? key : undefined;
}

/** The error for a token that is not valid, with the reason if the token itself shows it. */
function refusedToken(token: string): ServiceError {
  return new ServiceError('unauthorized', reasonOf(token), INVALID);
}

function reasonOf(token: string): string {
  if (isWellFormed(token))
    return 'The token is unknown, was deactivated or has expired; ask the operator for a new one';
  if (token.startsWith(TOKEN_PREFIX))
    return `The token is mistyped or cut off: copy all of it, from ${TOKEN_PREFIX} to the last character`;
  return `This is no service token: one begins with ${TOKEN_PREFIX}, without quotes or brackets around it`;
}
