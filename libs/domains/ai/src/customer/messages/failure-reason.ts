import { SecretUnreadableError } from '@platform/secrets';
import { UpstreamError } from '../../ports/upstream-error';

/** Why a call failed, in a few words for the operator. */
export function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.fault.reason;
  return error instanceof SecretUnreadableError ? 'key unreadable' : 'internal error';
}
