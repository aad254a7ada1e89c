import { SetMetadata } from '@nestjs/common';

const RATE_LIMIT_AS = 'access:rate-limit-as';

/** Puts a route under a tighter limit as well, one for AI messages and one for SMS. */
export const RateLimitAs = (kind: 'ai' | 'sms') => SetMetadata(RATE_LIMIT_AS, kind);

/** The tighter limit that a handler is under. */
export function rateLimitedAs(handler: object): 'ai' | 'sms' | undefined {
  return Reflect.getMetadata(RATE_LIMIT_AS, handler) as 'ai' | 'sms' | undefined;
}
