import type { SourcePage } from '../../ports/billing-source.port';
import { BrokenFeedError } from '../../ports/source-error';

/** More than any list has: ten million documents. */
const MAX_PAGES = 100_000;

/** Checks that a feed makes progress: every page but the last must contain something readable and something new. */
export class FeedWatch {
  private readonly seen = new Set<string>();

  /** @throws BrokenFeedError */
  check({ invoices, problems, next }: SourcePage, position: string | undefined, pages: number): void {
    const ids = [...invoices, ...problems].map(({ sourceId }) => sourceId);
    const fresh = ids.filter((id) => !this.seen.has(id));
    for (const id of fresh) this.seen.add(id);
    if (next === undefined) return;
    if (invoices.length === 0)
      throw new BrokenFeedError('The list says that there are more items, but returns none that can be read');
    if (next === position || fresh.length === 0) throw new BrokenFeedError('The list repeats itself');
    if (pages >= MAX_PAGES) throw new BrokenFeedError('The list does not end');
  }
}
