import { DelegateBackoff, type IRetryBackoffContext, handleWhen, retry, type RetryPolicy } from 'cockatiel';
import { UpstreamCallError, type UpstreamFailureReason } from '../upstream-call-error';
import type { RetryRule } from '../upstream-options';
import { UpstreamReply } from '../wire/upstream-reply';

/** Another attempt would end no better, or nobody waits for it. */
const FINAL: readonly UpstreamFailureReason[] = ['redirect', 'too_large', 'cancelled', 'shutdown'];
const STEPS: readonly RetryRule[] = ['never', 'unsent', 'turned_away', 'idempotent'];

/** How a call may be tried again. */
export interface RetrySettings {
  rule: RetryRule;
  retries: number;
  pauseMs: number;
  /** Milliseconds left until the call's deadline. */
  remainingMs: () => number;
  /** Whether the reply has been handed out already. */
  bodyConsumed: () => boolean;
}

/** Tries again what may be, after the pause that the upstream asks for, as long as the call's deadline leaves time. */
export function retrying({ rule, retries, pauseMs, remainingMs, bodyConsumed }: RetrySettings): RetryPolicy {
  const allows = (least: RetryRule) => STEPS.indexOf(rule) >= STEPS.indexOf(least);
  let attempt = 0;
  let pause = 0;
  /** Whether the pause before another attempt ends in time. */
  const inTime = (asked: number | undefined) => {
    // Half of it by chance: callers that failed together come back apart.
    pause = asked ?? pauseMs * 2 ** attempt++ * (0.5 + Math.random() / 2);
    return pause < remainingMs();
  };
  const error = (failure: unknown) => {
    if (!(failure instanceof UpstreamCallError) || FINAL.includes(failure.reason) || bodyConsumed()) return false;
    return allows(failure.sent ? 'idempotent' : 'unsent') && inTime(failure.retryAfterMs);
  };
  const reply = (value: unknown) => {
    if (!(value instanceof UpstreamReply)) return false;
    const { status, retryAfterMs } = value;
    const refusedForNow = status === 429 || (status === 503 && retryAfterMs !== undefined);
    const again = refusedForNow ? allows('turned_away') : status >= 500 && allows('idempotent');
    return again && inTime(retryAfterMs);
  };
  const backoff = new DelegateBackoff<IRetryBackoffContext<unknown>>(() => pause);
  return retry(handleWhen(error).orWhenResult(reply), { maxAttempts: retries, backoff }).dangerouslyUnref();
}
