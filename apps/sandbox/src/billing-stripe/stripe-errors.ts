import { type Answer, json } from '../shared/answer';

/** Fields of the `error` object besides its message. */
export interface StripeErrorDetails {
  code?: string;
  param?: string;
}

/** A request that Stripe refuses. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: StripeErrorDetails = {},
  ) {
    super(message);
  }
}

/** An error in Stripe's own format. */
export function stripeError(
  status: number,
  requestId: string,
  message: string,
  details: StripeErrorDetails = {},
): Answer {
  const type = status >= 500 ? 'api_error' : 'invalid_request_error';
  return json(status, { error: { ...details, message, type } }, { 'request-id': requestId });
}
