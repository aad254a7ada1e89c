import type { IncomingHttpHeaders } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { rulesOf } from '@platform/http';
import {
  type AuthenticatedCustomer,
  fingerprintOf,
  hashToken,
  isWellFormed,
  TOKEN_PREFIX,
  TokenAuthenticatorService,
  type TokenRefusal,
} from '@platform/tokens';
import { requireAccess, type RouteAccess } from './route-access';

const INVALID = { bearer: { error: 'invalid_token' } } as const;
const HOW = 'Send a service token in the header Authorization: Bearer cas_live_…';
const NOT_AS_API_KEY = `${HOW}; X-Api-Key is accepted below /api/v1/ai/v1 only`;
const ASK = 'ask the operator for a new one';
const REFUSALS: Record<NonNullable<TokenRefusal>, string> = {
  expired: `The token has expired; ${ASK}`,
  deactivated: `The token was deactivated; ${ASK}`,
  unknown: `The token is unknown on this server; copy it again, or ${ASK}`,
};

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
    const token = (takesApiKey && apiKeyToken(request.headers)) || bearerToken(request.headers);
    const found = this.authenticator.authenticate(token);
    if (found && !(found instanceof Promise)) return admit(request, found, access);
    return Promise.resolve(found).then((customer) =>
      customer ? admit(request, customer, access) : this.refuse(request, token),
    );
  }

  /** The reason is looked up only for a token that has the right checksum. @throws ServiceError unauthorized */
  private async refuse(request: FastifyRequest, token: string): Promise<never> {
    const isToken = isWellFormed(token);
    // Anything else may be a password or somebody else's secret, of which even a digest says too much.
    if (isToken) request.refusedToken = fingerprintOf(hashToken(token));
    const reason = isToken ? await this.authenticator.refusalOf(token) : undefined;
    throw new ServiceError('unauthorized', reason ? REFUSALS[reason] : faultOf(token), INVALID);
  }
}

/** The customer whose token a request has, if it was valid lately: before the request is authenticated, to know who asks. */
export function customerByToken(
  { headers }: FastifyRequest,
  authenticator: TokenAuthenticatorService,
): string | undefined {
  const { authorization } = headers;
  const token = authorization === undefined ? apiKeyToken(headers) : /^bearer +(\S+)$/i.exec(authorization)?.[1];
  return token === undefined ? undefined : authenticator.latelyHolderOf(token);
}

/** @throws ServiceError insufficient_scope */
function admit(request: FastifyRequest, customer: AuthenticatedCustomer, access: RouteAccess): true {
  request.customer = customer;
  requireAccess(customer, access);
  return true;
}

/**
 * The bearer token of RFC 6750 §2.1; a token in the body or query is not accepted. @throws ServiceError unauthorized
 */
function bearerToken({ authorization: header, 'x-api-key': key }: IncomingHttpHeaders): string {
  if (header === undefined) throw new ServiceError('unauthorized', key === undefined ? HOW : NOT_AS_API_KEY);
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

/** The fault of a token that is not well-formed. */
function faultOf(token: string): string {
  if (isWellFormed(token)) return 'The token was not valid a moment ago but is valid now; send the request again';
  if (token.startsWith(TOKEN_PREFIX))
    return `The token is mistyped or cut off: copy all of it, from ${TOKEN_PREFIX} to the last character`;
  return `This is not a service token: a service token begins with ${TOKEN_PREFIX}, without quotes or brackets around it`;
}
