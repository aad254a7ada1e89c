import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import type { BillingSourceName } from '../invoice-record';
import { BillingSourcesService } from '../adapters/billing-sources.service';
import { BrokenFeedError, SourceError } from '../ports/billing-source.port';
import { InvoiceSyncRun } from './invoice-sync-run';
import { RunSupersededError, type SyncRun, SyncStoreService } from './sync-store.service';

/**
 * How a run ended. `continued`: there is more to read than one run may; the next one goes on. `stopped`: the process
 * stops; another one goes on. `superseded`: another run has begun. `unlinked`: there is nothing to sync.
 */
export type SyncOutcome = 'succeeded' | 'continued' | 'failed' | 'stopped' | 'superseded' | 'unlinked';

/** Longest time of one run. The pages that it has stored stay, and the next run goes on from there. */
export const RUN_DEADLINE_MS = 120_000;

/** Syncs one customer's invoices with one billing source at a time. The queue decides which and when. */
@Injectable()
export class InvoiceSyncsService {
  private readonly logger = new Logger(InvoiceSyncsService.name);
  constructor(
    private readonly sources: BillingSourcesService,
    private readonly store: SyncStoreService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Runs a customer's sync now. The signal aborts the request in progress. Never throws for a failure of the source.
   */
  async run(customerId: string, name: BillingSourceName, stop: AbortSignal): Promise<SyncOutcome> {
    const source = this.sources.find(name);
    const begun = source && (await this.store.begin(customerId, name));
    if (!source || !begun) return 'unlinked';
    const deadline = AbortSignal.timeout(RUN_DEADLINE_MS);
    const run = new InvoiceSyncRun(source, this.store, begun, AbortSignal.any([stop, deadline]));
    try {
      const checkpoint = await run.complete();
      if (checkpoint) await this.store.succeed(begun, checkpoint, this.config.INVOICE_SYNC_MINUTES);
      else await this.store.pause(begun);
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
        await this.store.pause(run);
        return stopped ? 'stopped' : 'continued';
      }
      await this.giveUp(
        run,
        outOfTime ? new SourceError(`No page was read within ${RUN_DEADLINE_MS / 1000} s`) : error,
      );
      return 'failed';
    } catch (failure) {
      if (failure instanceof RunSupersededError) return 'superseded';
      throw failure;
    }
  }

  /** Ends the run with a failure; a later run goes on. */
  private async giveUp(run: SyncRun, error: unknown): Promise<void> {
    const known = error instanceof SourceError;
    const message = known ? error.message : 'The sync failed because of an internal error; see the log';
    const fields = { customer_id: run.customerId, source: run.source };
    this.logger[known ? 'warn' : 'error']({ msg: 'invoice sync failed', ...fields, err: error });
    const { since } = run.checkpoint;
    // A feed that is inconsistent starts over: its position cannot be trusted.
    const checkpoint = error instanceof BrokenFeedError ? { ...(since !== undefined && { since }) } : run.checkpoint;
    await this.store.fail(run, {
      error: message,
      checkpoint,
      askedMs: known ? (error.retryAfterMs ?? 0) : 0,
      longestMinutes: this.config.INVOICE_SYNC_MINUTES,
    });
  }
}
