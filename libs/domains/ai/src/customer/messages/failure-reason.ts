import { SecretUnreadableError } from '@platform/secrets';
import { UpstreamError } from '../../ports/upstream-error';
import { refused } from './credit-refusal';

/** Why a call failed, in a few words for the operator. */
export function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.fault.reason;
  return error instanceof SecretUnreadableError ? 'key unreadable' : 'internal error';
}

/** The error for the customer. */
export function toServiceError(error: unknown): unknown {
  if (error instanceof UpstreamError) return error.toServiceError();
  return error instanceof SecretUnreadableError ? refused('not_configured') : error;
}
