import { SecretUnreadableError } from '@app/secrets';
import { UpstreamError } from '../upstream/upstream-error';

/** Why a call failed, in a few words for the operator. */
export function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.fault.reason;
  return error instanceof SecretUnreadableError ? 'key unreadable' : 'internal error';
}
