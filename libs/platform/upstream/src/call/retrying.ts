import { DelegateBackoff, type IRetryBackoffContext, handleWhen, retry, type RetryPolicy } from 'cockatiel';
import { UpstreamCallError, type UpstreamFailureReason } from '../upstream-call-error';
import type { RetryRule } from '../upstream-options';
import { UpstreamReply } from '../wire/upstream-reply';

/** Failures after which a retry is pointless, or no caller waits for it. */
const FINAL: readonly UpstreamFailureReason[] = ['redirect', 'too_large', 'cancelled', 'shutdown'];
const STEPS: readonly RetryRule[] = ['never', 'unsent', 'turned_away', 'idempotent'];

/** Whether and how to retry a call. */
export interface RetrySettings {
  rule: RetryRule;
  retries: number;
  pauseMs: number;
  /** Milliseconds left until the call's deadline. */
  remainingMs: () => number;
  /** Whether the caller has already received a part of the reply. */
  bodyConsumed: () => boolean;
}

/** Makes an attempt, and retries what may be retried. */
export function retrying(attempt: () => Promise<UpstreamReply>, settings: RetrySettings): Promise<UpstreamReply> {
  const first = attempt();
  let made: Promise<UpstreamReply> | undefined = first;
  /** The policy gets the first attempt as it was. */
  const next = () => {
    const present = made ?? attempt();
    made = undefined;
    return present;
  };
  // Most calls succeed at once: the policy is made for those that do not.
  return first.then(
    (reply) => (reply.ok ? reply : policy(settings).execute(next)),
    () => policy(settings).execute(next),
  );
}

/** Retries after the pause that the upstream asks for, within the call's deadline. */
function policy({ rule, retries, pauseMs, remainingMs, bodyConsumed }: RetrySettings): RetryPolicy {
  const allows = (least: RetryRule) => STEPS.indexOf(rule) >= STEPS.indexOf(least);
  let attempt = 0;
  let pause = 0;
  /** Whether the pause ends before the deadline. */
  const inTime = (asked: number | undefined) => {
    // Half of the pause is random, so that calls that failed together do not return together.
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
