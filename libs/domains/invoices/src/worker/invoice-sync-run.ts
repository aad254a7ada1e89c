import {
  type BillingSource,
  BrokenFeedError,
  type Feed,
  isProblem,
  LostPositionError,
  type SourcePage,
} from '../ports/billing-source.port';
import type { RunProgress, SyncCheckpoint, SyncRun, SyncStoreService, Unconfirmed } from './sync-store.service';
import { GONE, type SyncStep } from './store-step';

/** More than any list has: ten million documents. */
const MAX_PAGES = 100_000;
/** Documents requested one by one between two saves. */
const BATCH = 20;
/** Pages or batches that a run reads before other accounts get their turn. */
const PAGES_AT_A_TIME = 50;

/**
 * One run of a sync: the feeds, page by page, then unsettled or unreadable documents that no feed has listed. Each
 * step's result and the next position are stored together, so a run can be interrupted anywhere and the next one
 * continues.
 */
export class InvoiceSyncRun {
  private steps = 0;
  private watch = new FeedWatch();

  constructor(
    private readonly source: BillingSource,
    private readonly store: SyncStoreService,
    private readonly run: SyncRun,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether something was stored, so that the next run begins at a later position. */
  get moved(): boolean {
    return this.steps > 0;
  }

  /** Runs to the end. @returns the checkpoint for the next run; undefined if there is more to read than one run may */
  async complete(): Promise<SyncCheckpoint | undefined> {
    const { since: text, run } = this.run.checkpoint;
    const since = text === undefined ? undefined : new Date(text);
    const feeds = this.source.feeds(since);
    let progress: RunProgress = run ?? { startedAt: this.run.startedAt, feed: 0 };
    while (progress.feed < feeds.length) {
      const feed = feeds[progress.feed] as Feed;
      if (await this.shows(feed, progress)) progress = await this.readFeed(feed.name, since, progress);
      else progress = { ...progress, feed: progress.feed + 1 };
      if (this.steps >= PAGES_AT_A_TIME) return undefined;
    }
    if (!(await this.confirmRest(progress, since === undefined))) return undefined;
    return { ...(progress.unread ? text !== undefined && { since: text } : { since: progress.startedAt }) };
  }

  /** Whether a feed can return anything: one of unsettled documents only if some are left to look for. */
  private async shows({ unsettled }: Feed, { startedAt, position }: RunProgress): Promise<boolean> {
    if (!unsettled || position !== undefined) return true;
    return (await this.store.unconfirmed(this.run, startedAt, '', 1, false)).length > 0;
  }

  /** Reads a page. @returns the progress of the run after it */
  private async readFeed(feed: string, since: Date | undefined, before: RunProgress): Promise<RunProgress> {
    const page = await this.readPage(feed, since, before);
    const pages = (before.pages ?? 0) + 1;
    this.watch.check(page, before.position, pages);
    const unread = before.unread ?? (page.problems.some((problem) => problem.unidentified) || undefined);
    const kept = { startedAt: before.startedAt, ...(unread && { unread }) };
    const progress: RunProgress =
      page.next === undefined
        ? { ...kept, feed: before.feed + 1 }
        : { ...kept, feed: before.feed, position: page.next, pages };
    if (page.next === undefined) this.watch = new FeedWatch();
    // Most feeds are empty most of the time and need no transaction.
    if (page.next !== undefined || page.invoices.length + page.problems.length > 0) await this.save(page, progress);
    return progress;
  }

  private async readPage(feed: string, since: Date | undefined, { position }: RunProgress): Promise<SourcePage> {
    const request = { feed, account: this.run.account, ...(since && { since }) };
    try {
      return await this.source.readPage({ ...request, ...(position !== undefined && { position }) }, this.signal);
    } catch (error) {
      if (!(error instanceof LostPositionError)) throw error;
      this.watch = new FeedWatch();
      return this.source.readPage(request, this.signal);
    }
  }

  /** @returns whether all of it was checked */
  private async confirmRest(progress: RunProgress, all: boolean): Promise<boolean> {
    let after = progress.position ?? '';
    for (;;) {
      const rest = await this.store.unconfirmed(this.run, progress.startedAt, after, BATCH, all);
      const last = rest.at(-1);
      if (!last) return true;
      if (this.steps >= PAGES_AT_A_TIME) return false;
      after = last.id;
      await this.save(await this.readEach(rest), { ...progress, position: after });
    }
  }

  private async readEach(rest: Unconfirmed[]): Promise<SyncStep> {
    const step: Required<SyncStep> = { invoices: [], problems: [], gone: [], moved: [], voided: [] };
    for (const { id, draft, gone } of rest) {
      const item = await this.source.readOne(this.run.account, id, this.signal);
      if (item === undefined) {
        if (draft) step.gone.push(id);
        // Not at the first sign: nothing is to be paid any more on what becomes void.
        else if (gone) step.voided.push(id);
        else step.problems.push({ sourceId: id, detail: GONE });
      } else if (!isProblem(item)) step.invoices.push(item);
      else if (item.foreign) step.moved.push(id);
      else step.problems.push(item);
    }
    return step;
  }

  private async save(step: SyncStep, run: RunProgress): Promise<void> {
    const { since } = this.run.checkpoint;
    await this.store.save(this.run, step, { ...(since !== undefined && { since }), run });
    this.steps++;
  }
}

/** Checks that a feed makes progress: every page but the last must contain something readable and something new. */
class FeedWatch {
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
