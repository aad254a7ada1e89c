import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import type { BillingSourceName } from '../invoice-values';
import { BillingSourcesService } from '../adapters/billing-sources.service';
import {
  type BillingSource,
  BrokenFeedError,
  type Feed,
  isProblem,
  LostPositionError,
  requireSameCompany,
  SourceError,
  type SourceInvoice,
  type SourcePage,
  type SourceProblem,
} from '../ports/billing-source.port';
import {
  type RunProgress,
  RunSupersededError,
  type SyncCheckpoint,
  type SyncRun,
  SyncRunsService,
} from './sync-runs.service';
import { type ReadDocuments, SyncedDocumentsService, type UnlistedDocument } from './synced-documents.service';

/**
 * How a run ended. `continued`: there is more to read than one run may; the next one goes on. `stopped`: the process
 * stops; another one goes on. `superseded`: another run has begun. `unlinked`: there is nothing to sync.
 */
export type SyncOutcome = 'succeeded' | 'continued' | 'failed' | 'stopped' | 'superseded' | 'unlinked';

/** Longest time of one run. The pages that it has stored stay, and the next run goes on from there. */
export const RUN_DEADLINE_MS = 120_000;
/** More than any list has: ten million documents. */
const MAX_PAGES = 100_000;
/** Documents requested one by one between two saves. */
const BATCH = 20;
/** Pages or batches that a run reads before other accounts get their turn. */
const PAGES_AT_A_TIME = 50;

/** Syncs one customer's invoices with one billing source at a time. The queue decides which and when. */
@Injectable()
export class InvoiceSyncsService {
  private readonly logger = new Logger(InvoiceSyncsService.name);
  constructor(
    private readonly sources: BillingSourcesService,
    private readonly runs: SyncRunsService,
    private readonly documents: SyncedDocumentsService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Runs a customer's sync now. The signal aborts the request in progress. Never throws for a failure of the source.
   */
  async run(customerId: string, name: BillingSourceName, stop: AbortSignal): Promise<SyncOutcome> {
    const source = this.sources.find(name);
    const begun = source && (await this.runs.begin(customerId, source));
    if (!source || !begun) return 'unlinked';
    const deadline = AbortSignal.timeout(RUN_DEADLINE_MS);
    const run = new SyncReading(source, this.runs, this.documents, begun, AbortSignal.any([stop, deadline]));
    try {
      // Its documents would seem to be gone, and become void.
      requireSameCompany(source, begun.company);
      const checkpoint = await run.complete();
      if (checkpoint) await this.runs.succeed(begun, checkpoint, this.config.INVOICE_SYNC_MINUTES);
      else await this.runs.pause(begun);
      return checkpoint ? 'succeeded' : 'continued';
    } catch (error) {
      if (error instanceof RunSupersededError) return 'superseded';
      return this.end(begun, error, { stopped: stop.aborted, outOfTime: deadline.aborted, moved: run.moved });
    }
  }

  private async end(
    run: SyncRun,
    error: unknown,
    { stopped, outOfTime, moved }: { stopped: boolean; outOfTime: boolean; moved: boolean },
  ): Promise<SyncOutcome> {
    try {
      if (stopped || (outOfTime && moved)) {
        await this.runs.pause(run);
        return stopped ? 'stopped' : 'continued';
      }
      await this.giveUp(
        run,
        outOfTime ? new SourceError(`No page was read within ${RUN_DEADLINE_MS / 1000} s`) : error,
        moved,
      );
      return 'failed';
    } catch (failure) {
      if (failure instanceof RunSupersededError) return 'superseded';
      throw failure;
    }
  }

  /** Ends the run with a failure; a later run goes on. */
  private async giveUp(run: SyncRun, error: unknown, moved: boolean): Promise<void> {
    const known = error instanceof SourceError;
    const message = known ? error.message : 'The sync failed because of an internal error; see the log';
    const fields = { customer_id: run.customerId, source: run.source };
    this.logger[known ? 'warn' : 'error']({ msg: 'invoice sync failed', ...fields, err: error });
    const { since } = run.checkpoint;
    // A feed that is inconsistent starts over: its position cannot be trusted.
    const anew =
      error instanceof BrokenFeedError || (!moved && isStuck(run, this.config.INVOICE_SYNC_MINUTES * 60_000));
    const checkpoint = anew ? { ...(since !== undefined && { since }) } : run.checkpoint;
    await this.runs.fail(run, {
      error: message,
      checkpoint,
      askedMs: known ? (error.retryAfterMs ?? 0) : 0,
      longestMinutes: this.config.INVOICE_SYNC_MINUTES,
    });
  }
}

/**
 * Whether a run has failed for longer than syncs are apart, behind the first feed: it starts over then, so that whatever cannot be
 * read there does not hold back new invoices, which that feed has.
 */
function isStuck({ checkpoint: { run: progress }, startedAt, failingSince }: SyncRun, apartMs: number): boolean {
  if (!progress || progress.feed === 0 || failingSince === undefined) return false;
  const before = Date.parse(startedAt) - apartMs;
  return Date.parse(progress.startedAt) <= before && Date.parse(failingSince) <= before;
}

/**
 * One run of a sync: the feeds, page by page, then unsettled or unreadable documents that no feed has listed. Each
 * step's result and the next position are stored together, so a run can be interrupted anywhere and the next one
 * continues.
 */
class SyncReading {
  private steps = 0;
  private watch = new FeedWatch();
  private readonly since: Date | undefined;
  private readonly feeds: readonly Feed[];

  constructor(
    private readonly source: BillingSource,
    private readonly runs: SyncRunsService,
    private readonly documents: SyncedDocumentsService,
    private readonly run: SyncRun,
    private readonly signal: AbortSignal,
  ) {
    const { since } = run.checkpoint;
    this.since = since === undefined ? undefined : new Date(since);
    this.feeds = source.feeds(this.since);
  }

  /** Whether something was stored, so that the next run begins at a later position. */
  get moved(): boolean {
    return this.steps > 0;
  }

  /** Runs to the end. @returns the checkpoint for the next run; undefined if there is more to read than one run may */
  async complete(): Promise<SyncCheckpoint | undefined> {
    const { since: text, run } = this.run.checkpoint;
    const { since, feeds } = this;
    let progress: RunProgress = run ?? { startedAt: this.run.startedAt, feed: 0 };
    // Of a former release, which read fewer feeds, and had come to the documents that none had listed.
    if (progress.feed < feeds.length && progress.pages === undefined) delete progress.position;
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
    return (await this.unlisted({ since: startedAt, after: '', limit: 1, all: false })).length > 0;
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

  private async readPage(
    feed: string,
    since: Date | undefined,
    { position }: Pick<RunProgress, 'position'>,
  ): Promise<SourcePage> {
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
      const rest = await this.unlisted({ since: progress.startedAt, after, limit: BATCH, all });
      const last = rest.at(-1);
      if (!last) return true;
      if (this.steps >= PAGES_AT_A_TIME) return false;
      after = last.id;
      await this.save(await this.readEach(rest), { ...progress, position: after });
    }
  }

  private unlisted(choice: Parameters<SyncedDocumentsService['unlisted']>[2]): Promise<UnlistedDocument[]> {
    return this.documents.unlisted(this.run.customerId, this.source, choice);
  }

  private async readEach(rest: UnlistedDocument[]): Promise<ReadDocuments> {
    const read: Required<ReadDocuments> = { invoices: [], problems: [], moved: [], missing: [] };
    let refused = 0;
    for (const document of rest) {
      const item = await this.readOne(document.id);
      if (item instanceof SourceError) {
        refused++;
        read.problems.push({ sourceId: document.id, detail: item.message });
      } else if (item === undefined) read.missing.push(document);
      else if (!isProblem(item)) read.invoices.push(item);
      else if (item.foreign) read.moved.push(document.id);
      else read.problems.push(item);
    }
    // Not one was given: the source may be down, or this account's no more. Its list tells that.
    if (refused > 0 && refused === rest.length) await this.readPage(this.feeds[0]?.name ?? '', this.since, {});
    return read;
  }

  /** A document, or why the source gives it to nobody, which is no reason to read no others. @throws SourceError otherwise */
  private async readOne(id: string): Promise<SourceInvoice | SourceProblem | SourceError | undefined> {
    try {
      return await this.source.readOne(this.run.account, id, this.signal);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.refused) return error;
      throw new SourceError(`${error.message}; asked for the document ${id}`, error.retryAfterMs);
    }
  }

  private async save(read: ReadDocuments, run: RunProgress): Promise<void> {
    const { since } = this.run.checkpoint;
    await this.runs.save(this.run, read, { ...(since !== undefined && { since }), run });
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
