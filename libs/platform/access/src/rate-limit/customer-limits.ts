import type { AppConfig } from '@platform/config';
import type { AuthenticatedCustomer } from '@platform/tokens';

/** Kinds of limits: all of a customer's requests, and tighter ones for AI messages and SMS. */
export type LimitName = 'requests' | 'ai' | 'sms';

/** Requests per minute: the operator's limit for the customer, or the default. */
export function limitOf(customer: AuthenticatedCustomer, name: LimitName, config: AppConfig): number {
  return customer.limits[name] ?? standardOf(name, config);
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
