import { SetMetadata } from '@nestjs/common';

const RATE_LIMIT_AS = 'access:rate-limit-as';

/** Adds a tighter limit to a route, for AI messages or for SMS. */
export const RateLimitAs = (kind: 'ai' | 'sms') => SetMetadata(RATE_LIMIT_AS, kind);

const declared = new WeakMap<object, 'ai' | 'sms' | null>();

/** The tighter limit of a handler. Cached by handler. */
export function rateLimitedAs(handler: object): 'ai' | 'sms' | null {
  let kind = declared.get(handler);
  if (kind === undefined) {
    kind = (Reflect.getMetadata(RATE_LIMIT_AS, handler) as 'ai' | 'sms' | undefined) ?? null;
    declared.set(handler, kind);
  }
  return kind;
}
