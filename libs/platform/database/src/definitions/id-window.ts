import type { PageRequest } from '@platform/pagination';
import { firstIdAt, LEAST_ID, timeOfId } from './timed-id';

const DAY_MS = 86_400_000;
/** The newest rows that a page is looked for in first: two partitions at most. */
const WINDOW_MS = 31 * DAY_MS;
/** How far an id's time and `createdAt` may be apart. */
const MARGIN_MS = 3_600_000;
/** Later than any id: cursors are callers' texts. */
const LATEST_MS = Date.UTC(2500, 0);

/** Where a page of a list with ids that carry time may be: rows with `id < below`, of which those from `from` on are read first. */
export interface IdWindow {
  /** Undefined: no bound. */
  below: string | undefined;
  from: string;
  /** No row that the range of time asks for is below this id. */
  least: string;
}

/**
 * Bounds on ids that let PostgreSQL leave out partitions. A page reads the newest month that it can begin in; only a page
 * that is not full then reads what lies before.
 */
export function idWindow({ createdAfter, createdBefore }: Partial<PageRequest>, afterId: string | undefined): IdWindow {
  const least = createdAfter === undefined ? LEAST_ID : firstIdAt(Date.parse(createdAfter) - MARGIN_MS);
  const bounds = [afterId, ...(createdBefore === undefined ? [] : [firstIdAt(Date.parse(createdBefore) + MARGIN_MS)])];
  const below = bounds.filter((bound) => bound !== undefined).sort()[0];
  // eslint-disable-next-line no-restricted-syntax -- any moment is right: what lies before it is read if the page is not full
  const from = firstIdAt((below === undefined ? Date.now() : Math.min(timeOfId(below), LATEST_MS)) - WINDOW_MS);
  return { below, from: from > least ? from : least, least };
}
