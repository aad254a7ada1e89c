import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** Longest that a healthy read takes. */
const PATIENCE_MS = 3_000;
/** The part of a scrape's time that its reads may take. */
const SHARE = 0.7;

const scrapes = new AsyncLocalStorage<{ patienceMs: number }>();

/** Answers a scrape whose reads leave it time. @param timeoutSeconds when Prometheus gives it up, if it says so */
export function withinScrape<T>(timeoutSeconds: number, answer: () => Promise<T>): Promise<T> {
  const patienceMs = timeoutSeconds > 0 ? Math.min(PATIENCE_MS, timeoutSeconds * 1000 * SHARE) : PATIENCE_MS;
  return scrapes.run({ patienceMs }, answer);
}

/**
 * Reads the values of several gauges: one read for all of a scrape. A read that hangs hides no other metric. @param failed told why a
 * read failed @returns the reader; it gives undefined if the read fails, or takes longer than the scrape may
 */
export function readAtScrape<T>(
  read: () => Promise<T>,
  failed: (error: unknown) => void,
): () => Promise<T | undefined> {
  let pending: Promise<T | undefined> | undefined;
  const begin = () =>
    read()
      .catch((error: unknown) => {
        failed(error);
        return undefined;
      })
      .finally(() => (pending = undefined));
  return () => {
    const { patienceMs } = scrapes.getStore() ?? { patienceMs: PATIENCE_MS };
    return Promise.race([(pending ??= begin()), wait(patienceMs, undefined, { ref: false })]);
  };
}
