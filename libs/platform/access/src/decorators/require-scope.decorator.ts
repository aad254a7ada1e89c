import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ProblemReplies } from '@platform/http';
import type { Scope } from '@platform/tokens';

const REQUIRED_SCOPE = 'access:scope';
/** Marks a route that any valid token may use. */
const ANY = 'any';

/**
 * Declares the scope that a route requires, for the guard and for the OpenAPI document. A route that declares neither
 * this nor {@link AnyScope} nor `@Public()` is refused.
 */
export function RequireScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    SetMetadata(REQUIRED_SCOPE, scope),
    ApiSecurity('token', [scope]),
    ProblemReplies('unauthorized', 'insufficient_scope', 'rate_limited', 'internal_error', 'service_unavailable'),
  );
}

/** Declares that a route needs a valid token but no scope. */
export function AnyScope(): MethodDecorator {
  return applyDecorators(
    SetMetadata(REQUIRED_SCOPE, ANY),
    ApiSecurity('token'),
    ProblemReplies('unauthorized', 'rate_limited', 'internal_error', 'service_unavailable'),
  );
}

const declared = new WeakMap<object, Scope | typeof ANY>();

/** The declared access of a handler: a scope, `any`, or undefined. Cached by handler. */
export function requiredScope(handler: object): Scope | typeof ANY | undefined {
  const known = declared.get(handler);
  if (known !== undefined) return known;
  const scope = Reflect.getMetadata(REQUIRED_SCOPE, handler) as Scope | typeof ANY | undefined;
  if (scope !== undefined) declared.set(handler, scope);
  return scope;
}
