import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { ServiceError } from '@app/errors';
import { ROOT_LOGGER, type RootLogger } from '@app/logging';
import type { BillingSourceName } from '../invoice-record';
import type { BillingSource } from '../sources/billing-source';
import { BillingSources } from '../sources/billing-sources';
import { SourceError } from '../sources/source-error';
import { InvoiceSyncRun } from './invoice-sync-run';
import { LeaseLostError, type SyncLease, SyncStore } from './sync-store';

/** How a run ended. `busy`: somebody else is at it. `stopped`: this process ends; another goes on. */
export type SyncOutcome = 'succeeded' | 'failed' | 'busy' | 'stopped';

/** Customers looked up at a time. */
const BATCH = 100;
const LONGEST_BACKOFF_MS = 6 * 3_600_000;
const FIRST_BACKOFF_MS = 60_000;
const NEVER = new AbortController().signal;

/** Syncs customers' invoices with the billing sources. */
@Injectable()
export class InvoiceSyncs {
  private readonly leaseMs: number;

  constructor(
    private readonly sources: BillingSources,
    private readonly store: SyncStore,
    private readonly config: AppConfig,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {
    this.leaseMs = config.INVOICE_SYNC_LEASE_SECONDS * 1000;
  }

  /** Runs all syncs that are due, each source at its own pace: one that is down or slow does not hold up another. */
  async runDue(signal: AbortSignal): Promise<void> {
    await Promise.all(this.sources.all().map((source) => this.runDueOf(source, signal)));
  }

  /**
   * Runs a customer's sync now, due or not.
   * @throws ServiceError invalid_request if the source is not configured, not_found if the customer is not linked to it.
   */
  async runNow(customerId: string, name: BillingSourceName, signal = NEVER): Promise<SyncOutcome> {
    const source = this.sources.find(name);
    if (!source) throw new ServiceError('invalid_request', `${name} is not configured`);
    if (!(await this.store.isLinked(customerId, name))) {
      throw new ServiceError('not_found', `The customer is not linked to ${name}`);
    }
    return this.run(source, customerId, signal, true);
  }

  private async runDueOf(source: BillingSource, signal: AbortSignal): Promise<void> {
    const waiting = new Set(await this.store.due(source.name, BATCH));
    const work = async () => {
      for (const customerId of waiting) {
        if (signal.aborted) return;
        waiting.delete(customerId);
        await this.run(source, customerId, signal, false);
      }
    };
    await Promise.all(Array.from({ length: source.concurrency }, work));
  }

  private async run(
    source: BillingSource,
    customerId: string,
    signal: AbortSignal,
    force: boolean,
  ): Promise<SyncOutcome> {
    const lease = await this.store.claim(customerId, source.name, this.leaseMs, force);
    if (!lease) return 'busy';
    try {
      const since = await new InvoiceSyncRun(source, this.store, lease, this.leaseMs, signal).complete();
      await this.store.succeed(lease, { since }, new Date(Date.now() + this.config.INVOICE_SYNC_MINUTES * 60_000));
      return 'succeeded';
    } catch (error) {
      if (error instanceof LeaseLostError) return 'busy';
      if (signal.aborted) {
        await this.store.release(lease);
        return 'stopped';
      }
      return await this.giveUp(lease, error);
    }
  }

  /** Leaves the rest to a later run: when the source asked for, or after a pause that doubles with each failure. */
  private async giveUp(lease: SyncLease, error: unknown): Promise<SyncOutcome> {
    const known = error instanceof SourceError;
    const message = known ? error.message : 'The sync failed for a reason of its own; see the log';
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** lease.failures, LONGEST_BACKOFF_MS);
    const pause = Math.max(backoff, known ? (error.retryAfterMs ?? 0) : 0);
    const fields = { customer_id: lease.customerId, source: lease.source, failures: lease.failures + 1 };
    this.logger[known ? 'warn' : 'error']({ ...fields, err: error }, 'invoice sync failed');
    await this.store.fail(lease, message, new Date(Date.now() + pause));
    return 'failed';
  }
}
