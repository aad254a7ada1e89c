import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const PUBLIC = 'access:public';
const known = new WeakMap<object, boolean>();

/**
 * Opens a route, or all routes of a controller, to callers without a token: for health checks, never for customer data.
 */
export const Public = () => SetMetadata(PUBLIC, true);

/** Whether the route is public. The metadata is cached by handler. */
export function isPublic(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  const remembered = known.get(handler);
  if (remembered !== undefined) return remembered;
  const open = [handler, context.getClass()].some((target) => Reflect.getMetadata(PUBLIC, target) === true);
  known.set(handler, open);
  return open;
}
