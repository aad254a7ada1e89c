import { setTimeout as wait } from 'node:timers/promises';

/** Less than Prometheus waits for a scrape (10 s): what hangs hides no other metric. */
const PATIENCE_MS = 3_000;

/**
 * Reads what several gauges show: one read for all of a scrape. @param failed told why a read failed @returns the reader; it
 * gives undefined if the read fails, or takes longer than a scrape may
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
  return () => Promise.race([(pending ??= begin()), wait(PATIENCE_MS, undefined, { ref: false })]);
}
