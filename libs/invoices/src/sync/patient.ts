import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError } from '../sources/source-error';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
/** Longer pauses are for the next run. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Reads from a source, and again when it was in passing trouble, after the pause it asked for or one that doubles.
 * @throws SourceError when that did not help, or would take too long; an AbortError when the signal ends it
 */
export async function patiently<T>(read: () => Promise<T>, signal: AbortSignal, attempt = 1): Promise<T> {
  signal.throwIfAborted();
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SourceError) || !error.passing || attempt === ATTEMPTS) throw error;
    const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
    if (pause > LONGEST_PAUSE_MS) throw error;
    await sleep(pause, undefined, { signal });
  }
  return patiently(read, signal, attempt + 1);
}
