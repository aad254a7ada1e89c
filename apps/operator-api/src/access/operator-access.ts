import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { declareRules, ProblemReplies } from '@platform/http';
import {
  type AuthenticatedOperator,
  FRESH_MINUTES,
  OPERATOR_ROLES,
  type OperatorRole,
} from '@platform/operator-accounts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The person whose session it is of; set by the guard. */
    operator?: AuthenticatedOperator;
  }
}

/** Name of the security scheme in the OpenAPI document. */
export const SESSION_SCHEME = 'session';

/** The detail of `fresh_login_required`. */
export const OLD_LOGIN = `Log in again: your last login is more than ${FRESH_MINUTES} minutes ago`;

const ALL_ROLES = Object.keys(OPERATOR_ROLES) as OperatorRole[];

/**
 * Declares the roles that may use a route, for the guard and for the OpenAPI document; an administrator always may. A route
 * that declares neither this nor {@link AnyRole} nor `@Public()` is refused.
 */
export function RequireRole(...named: Exclude<OperatorRole, 'admin'>[]): MethodDecorator {
  const roles = ALL_ROLES.filter((role) => role === 'admin' || named.some((name) => name === role));
  return applyDecorators(
    declareRules({ roles }),
    ApiSecurity(SESSION_SCHEME),
    ApiExtension('x-role', roles),
    ProblemReplies('login_required', 'forbidden', 'rate_limited', 'internal_error', 'service_unavailable'),
    ...(roles.length < ALL_ROLES.length ? [ProblemReplies('role_required')] : []),
  );
}

/** Declares that a route needs a session of any role. */
export const AnyRole = () => RequireRole('viewer', 'support', 'billing');

/** Declares that a route needs a login of the last minutes: for money, secrets, accounts, and all data of a customer. */
export const FreshLogin = () =>
  applyDecorators(
    declareRules({ freshLogin: true }),
    ApiExtension('x-fresh-login', true),
    ProblemReplies(['fresh_login_required', OLD_LOGIN]),
  );

/** Injects the person of the session: the only way for a handler to know who asks. */
export const CurrentOperator = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedOperator => {
  const { operator } = context.getArgByIndex<FastifyRequest>(0);
  if (!operator) throw new Error('The route is public: it has no operator');
  return operator;
});

/** Injects the person's name as the audit log has it: `operator:<name>`. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { operator } = context.getArgByIndex<FastifyRequest>(0);
  if (!operator) throw new Error('The route is public: it has no operator');
  return operator.actor;
});
