import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const PUBLIC = 'access:public';
const known = new WeakMap<object, boolean>();

/** Opens a route, or all of a controller's, to callers without a token: health checks, never customer data. */
export const Public = () => SetMetadata(PUBLIC, true);

/** Whether the route is open. A handler belongs to one controller, so what it declares is looked up once. */
export function isPublic(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  const remembered = known.get(handler);
  if (remembered !== undefined) return remembered;
  const open = [handler, context.getClass()].some((target) => Reflect.getMetadata(PUBLIC, target) === true);
  known.set(handler, open);
  return open;
}
