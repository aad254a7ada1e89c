import Stripe from 'stripe';
import { parseRetryAfter } from '@platform/upstream';
import { asSourceError, LostPositionError, SourceError } from '../../ports/source-error';
import { stripeFailure } from './stripe-http-client';

/** Converts an error of Stripe's SDK: keeps Stripe's code, never its text, which may repeat the request. */
export function stripeError(error: unknown): unknown {
  const failure = stripeFailure(error);
  if (failure) return asSourceError(failure);
  if (!(error instanceof Stripe.errors.StripeError)) return asSourceError(error);
  if (isMissing(error) && error.param === 'starting_after') return new LostPositionError();
  const status = error.statusCode === undefined ? 'something that is no reply of its own' : String(error.statusCode);
  const code = [error.code, error.rawType].find((known) => known !== undefined && /^[a-z0-9_]{1,64}$/.test(known));
  const message = `stripe answered ${status}${code === undefined ? '' : ` (${code})`}`;
  return new SourceError(message, parseRetryAfter(error.headers?.['retry-after']));
}

/** Whether Stripe has no such document. */
export function isMissing(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}
