import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { isTransientFailure } from '../errors/database-errors';

/** When a statement is repeated. */
export interface TransientRetries {
  /** Pause between two attempts, in milliseconds. */
  pauseMs: number;
  /** A failure later than this is final, in milliseconds; default: no limit. */
  forMs?: number;
  /** Ends the attempts: none begins after it. */
  signal?: AbortSignal;
}

/**
 * Repeats statements while they fail because the database is unavailable, or because of a conflict with another
 * transaction. @param work must be safe to repeat
 */
export function retryTransient<T>(work: () => Promise<T>, options: TransientRetries): Promise<T> {
  const begunAt = performance.now();
  const first = work();
  // Most succeed at once: the policy is made for those that do not.
  return first.catch(() => repeat(first, work, begunAt, options));
}

function repeat<T>(
  first: Promise<T>,
  work: () => Promise<T>,
  begunAt: number,
  { pauseMs, forMs = Infinity, signal }: TransientRetries,
): Promise<T> {
  const giveUpAt = begunAt + forMs;
  const passes = (error: unknown) => isTransientFailure(error) && performance.now() <= giveUpAt;
  const backoff = new ConstantBackoff(pauseMs);
  return retry(handleWhen(passes), { maxAttempts: Infinity, backoff }).execute(({ attempt }) => {
    if (attempt === 0) return first;
    signal?.throwIfAborted();
    return work();
  }, signal);
}
