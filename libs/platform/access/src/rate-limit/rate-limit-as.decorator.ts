import { SetMetadata } from '@nestjs/common';

const RATE_LIMIT_AS = 'access:rate-limit-as';

/** Puts a route under a tighter limit as well, one for AI messages and one for SMS. */
export const RateLimitAs = (kind: 'ai' | 'sms') => SetMetadata(RATE_LIMIT_AS, kind);

const declared = new WeakMap<object, 'ai' | 'sms' | null>();

/** The tighter limit that a handler is under. Looked up once. */
export function rateLimitedAs(handler: object): 'ai' | 'sms' | null {
  let kind = declared.get(handler);
  if (kind === undefined) {
    kind = (Reflect.getMetadata(RATE_LIMIT_AS, handler) as 'ai' | 'sms' | undefined) ?? null;
    declared.set(handler, kind);
  }
  return kind;
}
