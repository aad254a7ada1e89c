import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';

const REQUIRE_AI_ENABLED = 'access:require-ai-enabled';
const known = new WeakMap<object, boolean>();

/** Refuses customers without AI before their request's body, which may be large, is read. */
export const RequireAiEnabled = () => SetMetadata(REQUIRE_AI_ENABLED, true);

/** Requires that AI is enabled for the customer. The token's look-up has returned that, so no query is needed. */
@Injectable()
export class AiEnabledGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!requiresAi(context.getHandler())) return true;
    if (context.switchToHttp().getRequest<FastifyRequest>().customer?.aiEnabled) return true;
    throw new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
  }
}

/** Whether a handler requires it. Cached by handler. */
function requiresAi(handler: object): boolean {
  let required = known.get(handler);
  if (required === undefined) {
    required = Reflect.getMetadata(REQUIRE_AI_ENABLED, handler) === true;
    known.set(handler, required);
  }
  return required;
}
