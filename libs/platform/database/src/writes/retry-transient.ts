import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { isTransientFailure } from '../errors/database-errors';

/** When a statement is repeated. */
export interface TransientRetries {
  /** Pause between two attempts, in milliseconds. */
  pauseMs: number;
  /** No attempt fails later than this without its failure being final, in milliseconds; default: no limit. */
  forMs?: number;
  /** Ends the attempts: none begins after it. */
  signal?: AbortSignal;
}

/**
 * Runs it until it succeeds, or fails otherwise than because the database was away or another transaction was in its
 * way. @param work must be safe to repeat
 */
export async function retryTransient<T>(
  work: () => Promise<T>,
  { pauseMs, forMs = Infinity, signal }: TransientRetries,
): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  const passes = (error: unknown) => isTransientFailure(error) && performance.now() <= giveUpAt;
  const backoff = new ConstantBackoff(pauseMs);
  return retry(handleWhen(passes), { maxAttempts: Infinity, backoff }).execute(({ attempt }) => {
    if (attempt > 0) signal?.throwIfAborted();
    return work();
  }, signal);
}
