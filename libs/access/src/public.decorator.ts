import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

const PUBLIC = 'access:public';

/** Opens a route, or all of a controller's, to callers without a token: health checks, never customer data. */
export const Public = () => SetMetadata(PUBLIC, true);

/** Whether the route is open. */
export function isPublic(reflector: Reflector, context: ExecutionContext): boolean {
  return reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) === true;
}
