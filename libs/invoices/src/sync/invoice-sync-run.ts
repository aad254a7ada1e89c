import type { BillingSource, SourcePage } from '../sources/billing-source';
import { isProblem } from '../sources/billing-source';
import { LostPositionError } from '../sources/source-error';
import { patiently } from './patient';
import type { RunProgress } from './sync-checkpoint';
import type { SyncLease, SyncStep, SyncStore } from './sync-store';

/** Invoices asked for one by one between two saves. */
const BATCH = 20;

/**
 * One run of a sync: the feeds, page by page, then what is unsettled or was unreadable and none of them has shown. After each step
 * its findings and the place to go on are stored together, so a run may be cut anywhere and is taken up by the next.
 */
export class InvoiceSyncRun {
  constructor(
    private readonly source: BillingSource,
    private readonly store: SyncStore,
    private readonly lease: SyncLease,
    private readonly leaseMs: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs to the end. @returns when it began, which is where the next one starts from. */
  async complete(): Promise<string> {
    const { since: text, run } = this.lease.checkpoint;
    const since = text === undefined ? undefined : new Date(text);
    const feeds = this.source.feeds(since);
    let progress: RunProgress = run ?? { startedAt: new Date().toISOString(), feed: 0 };
    while (progress.feed < feeds.length) {
      const page = await this.readPage(feeds[progress.feed] as string, since, progress);
      const { startedAt, feed } = progress;
      progress = page.next === undefined ? { startedAt, feed: feed + 1 } : { startedAt, feed, position: page.next };
      await this.save(page, progress);
    }
    if (since) await this.confirmRest(progress);
    return progress.startedAt;
  }

  private async readPage(feed: string, since: Date | undefined, progress: RunProgress): Promise<SourcePage> {
    const request = { feed, account: this.lease.account, ...(since && { since }) };
    const { position } = progress;
    try {
      const page = { ...request, ...(position !== undefined && { position }) };
      return await patiently(() => this.source.readPage(page), this.signal);
    } catch (error) {
      if (!(error instanceof LostPositionError)) throw error;
      return patiently(() => this.source.readPage(request), this.signal);
    }
  }

  private async confirmRest(progress: RunProgress): Promise<void> {
    let after = progress.position ?? '';
    for (;;) {
      const rest = await this.store.unconfirmed(this.lease, new Date(progress.startedAt), after, BATCH);
      const last = rest.at(-1);
      if (!last) return;
      after = last.id;
      await this.save(await this.readEach(rest), { ...progress, position: after });
    }
  }

  private async readEach(rest: { id: string; forgettable: boolean }[]): Promise<SyncStep> {
    const step: Required<SyncStep> = { invoices: [], problems: [], gone: [] };
    for (const { id, forgettable } of rest) {
      const item = await patiently(() => this.source.readOne(this.lease.account, id), this.signal);
      if (item === undefined && forgettable) step.gone.push(id);
      else if (item === undefined) step.problems.push({ sourceId: id, detail: 'The source has it no more' });
      else if (isProblem(item)) step.problems.push(item);
      else step.invoices.push(item);
    }
    return step;
  }

  private save(step: SyncStep, run: RunProgress): Promise<void> {
    return this.store.save(this.lease, step, { ...this.lease.checkpoint, run }, this.leaseMs);
  }
}
