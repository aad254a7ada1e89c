import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { isPublic } from '../decorators/public.decorator';
import { requiredScope } from '../decorators/require-scope.decorator';

/** Requires the scope of the route. A route without declared access is always refused. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (isPublic(context)) return true;
    const scope = requiredScope(context.getHandler());
    if (scope === 'any') return true;
    const { customer } = context.switchToHttp().getRequest<FastifyRequest>();
    if (scope === undefined || customer === undefined)
      throw new ServiceError('insufficient_scope', 'This address is closed');
    if (!customer.scopes.has(scope)) {
      throw new ServiceError('insufficient_scope', `The token lacks the scope ${scope}`, {
        bearer: { error: 'insufficient_scope', scope },
      });
    }
    return true;
  }
}
