import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const TOKEN_IN_API_KEY = 'access:token-in-api-key';
const known = new WeakMap<object, boolean>();

/** Lets callers of a controller's routes send the token in the header `X-Api-Key` as well, as SDKs of AI providers do. */
export const TokenInApiKey = () => SetMetadata(TOKEN_IN_API_KEY, true);

/** Whether the route takes the token in `X-Api-Key`. The metadata is cached by handler. */
export function takesApiKey(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  let takes = known.get(handler);
  if (takes === undefined) {
    takes = Reflect.getMetadata(TOKEN_IN_API_KEY, context.getClass()) === true;
    known.set(handler, takes);
  }
  return takes;
}
