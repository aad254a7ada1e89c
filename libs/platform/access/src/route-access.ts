import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { API_KEY_SCHEME, declareRules, ProblemReplies, type RouteRules } from '@platform/http';
import type { AuthenticatedCustomer, Scope } from '@platform/tokens';

/** What a route that is not public asks of a token; undefined: it does not say. */
export type RouteAccess = Exclude<RouteRules['access'], 'public'>;

/**
 * Refuses a customer whose token lacks the route's scope, and everybody on a route that declares nothing: it is closed until
 * it does. @throws ServiceError insufficient_scope
 */
export function requireAccess(customer: AuthenticatedCustomer, access: RouteAccess): void {
  if (access === 'any') return;
  if (access === undefined) throw new ServiceError('insufficient_scope', 'This address is closed');
  if (customer.scopes.has(access)) return;
  throw new ServiceError('insufficient_scope', `The token lacks the scope ${access}`, {
    bearer: { error: 'insufficient_scope', scope: access },
  });
}

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

/**
 * Opens a route, or all routes of a controller, to callers without a token: for health checks, never for customer data.
 */
export const Public = () => declareRules({ access: 'public' });

/** Lets callers of a controller's routes send the token in the header `X-Api-Key` as well, as SDKs of AI providers do. */
export const TokenInApiKey = () => applyDecorators(declareRules({ takesApiKey: true }), ApiSecurity(API_KEY_SCHEME));

/** Adds a tighter limit of requests to a route, for AI messages or for SMS. */
export const RateLimitAs = (kind: 'ai' | 'sms') => declareRules({ rateLimit: kind });

/** Injects the authenticated customer: the only way for a handler to get the caller's identity. */
export const CurrentCustomer = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCustomer => {
  const { customer } = context.getArgByIndex<FastifyRequest>(0);
  if (!customer) throw new Error('The route is public: it has no customer');
  return customer;
});
