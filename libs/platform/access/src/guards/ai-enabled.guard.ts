import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';

const REQUIRE_AI_ENABLED = 'access:require-ai-enabled';
const known = new WeakMap<object, boolean>();

/** Closes a route to customers without AI before their request's body is read, which may be large. */
export const RequireAiEnabled = () => SetMetadata(REQUIRE_AI_ENABLED, true);

/** May this customer use AI? The token's look-up has told: no statement of the customer's own is needed here. */
@Injectable()
export class AiEnabledGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!requiresAi(context.getHandler())) return true;
    if (context.switchToHttp().getRequest<FastifyRequest>().customer?.aiEnabled) return true;
    throw new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
  }
}

/** Whether a handler requires it. Looked up once. */
function requiresAi(handler: object): boolean {
  let required = known.get(handler);
  if (required === undefined) {
    required = Reflect.getMetadata(REQUIRE_AI_ENABLED, handler) === true;
    known.set(handler, required);
  }
  return required;
}
