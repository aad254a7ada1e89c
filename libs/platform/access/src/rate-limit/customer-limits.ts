import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AppConfig } from '@platform/config';

/** Kinds of limits: all of a customer's requests, and tighter ones for AI messages and SMS. */
export type LimitName = 'requests' | 'ai' | 'sms';

/** Requests per minute: the operator's limit for the customer, or the default. */
export function limitOf(context: ExecutionContext, name: LimitName, config: AppConfig): number {
  const { customer } = context.switchToHttp().getRequest<FastifyRequest>();
  return customer?.limits[name] ?? standardOf(name, config);
}

function standardOf(name: LimitName, config: AppConfig): number {
  switch (name) {
    case 'requests':
      return config.RATE_LIMIT_REQUESTS_PER_MINUTE;
    case 'ai':
      return config.RATE_LIMIT_AI_PER_MINUTE;
    case 'sms':
      return config.RATE_LIMIT_SMS_PER_MINUTE;
  }
}
