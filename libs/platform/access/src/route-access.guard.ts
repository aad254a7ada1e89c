import type { IncomingHttpHeaders } from 'node:http';
import {
  applyDecorators,
  type CallHandler,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { ServiceError } from '@platform/errors';
import { API_KEY_SCHEME, declareRules, ProblemReplies, type RouteRules, rulesOf } from '@platform/http';
import {
  type AuthenticatedCustomer,
  fingerprintOf,
  hashToken,
  type RefusedToken,
  type Scope,
  TOKEN_PREFIX,
  TokenAuthenticatorService,
  type TokenRefusal,
} from '@platform/tokens';

/**
 * Declares the scope that a route requires, for the guard and for the OpenAPI document. A route that declares neither
 * this nor {@link AnyScope} nor `@Public()` is refused.
 */
export function RequireScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    declareRules({ access: scope }),
    ApiSecurity('token', [scope]),
    ProblemReplies('unauthorized', 'insufficient_scope', 'rate_limited', 'internal_error', 'service_unavailable'),
  );
}

/** Declares that a route needs a valid token but no scope. */
export function AnyScope(): MethodDecorator {
  return applyDecorators(
    declareRules({ access: 'any' }),
    ApiSecurity('token'),
    ProblemReplies('unauthorized', 'rate_limited', 'internal_error', 'service_unavailable'),
  );
}

/** For a route that may wait for long: its reply leaves only if the token would still be admitted. The module has the tokens' one. */
export const CheckAccessAgain = () => UseInterceptors(AccessAgainInterceptor);

/**
 * Opens a route, or all routes of a controller, to callers without a token: for health checks, never for customer data.
 */
export const Public = () => declareRules({ access: 'public' });

/** Lets callers of a controller's routes send the token in the header `X-Api-Key` as well, as SDKs of AI providers do. */
export const TokenInApiKey = () => applyDecorators(declareRules({ takesApiKey: true }), ApiSecurity(API_KEY_SCHEME));

/** Injects the authenticated customer: the only way for a handler to get the caller's identity. */
export const CurrentCustomer = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCustomer => {
  const { customer } = context.getArgByIndex<FastifyRequest>(0);
  if (!customer) throw new Error('The route is public: it has no customer');
  return customer;
});

/** What a route that is not public asks of a token; undefined: it does not say. */
type RouteAccess = Exclude<RouteRules['access'], 'public'>;

const INVALID = { bearer: { error: 'invalid_token' } } as const;
const HOW = 'Send a service token in the header Authorization: Bearer cas_live_…';
const NOT_AS_API_KEY = `${HOW}; X-Api-Key is accepted below /api/v1/ai/v1 only`;
const ASK = 'ask the operator for a new one';
const REFUSALS: Record<Exclude<TokenRefusal, 'not_a_token'>, string> = {
  expired: `The token has expired; ${ASK}`,
  deactivated: `The token was deactivated; ${ASK}`,
  // A new token would be refused, too.
  customer_deactivated: 'Your account is deactivated, and none of its tokens is accepted; ask the operator',
  unknown: `The token is unknown on this server; copy it again, or ${ASK}`,
};

/**
 * Authenticates every request by its bearer token and requires the scope of its route, unless the route is public. A route
 * without declared access is always refused.
 */
@Injectable()
export class RouteAccessGuard implements CanActivate {
  constructor(private readonly authenticator: TokenAuthenticatorService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { access, takesApiKey } = rulesOf(context);
    if (access === 'public') return true;
    const request = context.getArgByIndex<FastifyRequest>(0);
    const token = (takesApiKey && apiKeyToken(request.headers)) || bearerToken(request.headers);
    const found = this.authenticator.authenticate(token);
    if (found instanceof Promise) return found.then((one) => judge(request, one, access, token));
    return judge(request, found, access, token);
  }
}

/** Judges the token once more when the reply is ready. */
@Injectable()
class AccessAgainInterceptor implements NestInterceptor {
  private readonly guard: RouteAccessGuard;

  constructor(authenticator: TokenAuthenticatorService) {
    this.guard = new RouteAccessGuard(authenticator);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      mergeMap(async (reply: unknown) => {
        await this.guard.canActivate(context);
        return reply;
      }),
    );
  }
}

/** @throws ServiceError unauthorized, insufficient_scope */
function judge(
  request: FastifyRequest,
  found: AuthenticatedCustomer | RefusedToken,
  access: RouteAccess,
  token: string,
): true {
  if (!('refusal' in found)) return admit(request, found, access);
  // Anything but a token may be a password or somebody else's secret, of which even a digest says too much.
  if (found.refusal === 'not_a_token') throw new ServiceError('unauthorized', faultOf(token), INVALID);
  request.refusedToken = fingerprintOf(hashToken(token));
  throw new ServiceError('unauthorized', REFUSALS[found.refusal], INVALID);
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

/**
 * Makes a request that of its customer. Refuses a customer whose token lacks the route's scope, and everybody on a route that
 * declares nothing: it is closed until it does. @throws ServiceError insufficient_scope
 */
function admit(request: FastifyRequest, customer: AuthenticatedCustomer, access: RouteAccess): true {
  request.customer = customer;
  if (access === undefined) throw new ServiceError('insufficient_scope', 'This address is closed');
  if (access === 'any' || customer.scopes.has(access)) return true;
  throw new ServiceError('insufficient_scope', `The token lacks the scope ${access}`, {
    bearer: { error: 'insufficient_scope', scope: access },
  });
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
  if (token.startsWith(TOKEN_PREFIX))
    return `The token is mistyped or cut off: copy all of it, from ${TOKEN_PREFIX} to the last character`;
  return `This is not a service token: a service token begins with ${TOKEN_PREFIX}, without quotes or brackets around it`;
}
