import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { BillingSourceName } from '../invoice-record';
import type { SourceInvoice, SourceProblem } from '../sources/billing-source';
import type { SyncCheckpoint } from './sync-checkpoint';
import { refuseTakenNumbers } from './taken-numbers';
import { deleteDrafts, upsertInvoices, upsertProblems } from './sync-statements';

/** A customer's sync with a source, held by this process until `lockedUntil`. */
export interface SyncLease {
  customerId: string;
  source: BillingSourceName;
  /** The customer's id in the source. */
  account: string;
  checkpoint: SyncCheckpoint;
  failures: number;
  lockedUntil: Date;
}

/** What one step of a run found. */
export interface SyncStep {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Drafts that the source has no more. */
  gone?: string[];
}

/** Another process has taken the sync over, because this one was too slow. */
export class LeaseLostError extends Error {}

/** The rows behind syncing, as the operator's role. Every statement that writes names the customer. */
@Injectable()
export class SyncStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Customers whose sync with a source is due and in nobody's hands, longest due first. */
  async due(source: BillingSourceName, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ customer_id: string }[]>(
      `select customer_id from invoice_sync where source = $1 and due_at <= $2 and (locked_until is null or locked_until < $2)
       order by due_at limit $3`,
      [source, new Date(), limit],
    );
    return rows.map(({ customer_id }) => customer_id);
  }

  /** Whether the customer is known in a source. */
  async isLinked(customerId: string, source: BillingSourceName): Promise<boolean> {
    const query = 'select 1 from invoice_sync where customer_id = $1 and source = $2';
    return (await this.dataSource.query<unknown[]>(query, [customerId, source])).length === 1;
  }

  /** Takes a sync, unless somebody else has it. `force` takes one that is not due yet, too. */
  async claim(
    customerId: string,
    source: BillingSourceName,
    leaseMs: number,
    force = false,
  ): Promise<SyncLease | undefined> {
    const now = new Date();
    const lockedUntil = new Date(now.getTime() + leaseMs);
    const [rows] = await this.dataSource.query<[{ checkpoint: SyncCheckpoint; failures: number }[], number]>(
      `update invoice_sync set locked_until = $3, started_at = $4, stored = 0, skipped = 0
       where customer_id = $1 and source = $2 and (due_at <= $4 or $5) and (locked_until is null or locked_until < $4)
       returning checkpoint, failures`,
      [customerId, source, lockedUntil, now, force],
    );
    if (!rows[0]) return undefined;
    const [account] = await this.dataSource.query<[{ source_customer_id: string }]>(
      'select source_customer_id from billing_account where customer_id = $1 and source = $2',
      [customerId, source],
    );
    return { ...rows[0], customerId, source, account: account.source_customer_id, lockedUntil };
  }

  /** Stores what a step found together with how far the run has come, and holds the sync for longer. @throws LeaseLostError */
  async save(lease: SyncLease, step: SyncStep, checkpoint: SyncCheckpoint, leaseMs: number): Promise<void> {
    const now = new Date();
    const lockedUntil = new Date(now.getTime() + leaseMs);
    const { customerId, source } = lease;
    await this.dataSource.transaction(async (manager) => {
      const { invoices, problems, gone } = await refuseTakenNumbers(manager, source, step);
      await this.hold(
        manager,
        lease,
        'checkpoint = $4, locked_until = $5, stored = stored + $6, skipped = skipped + $7',
        [checkpoint, lockedUntil, invoices.length, problems.length],
      );
      await upsertInvoices(manager, customerId, source, invoices, now);
      await upsertProblems(manager, customerId, source, { invoices, problems, gone }, now);
      if (step.gone?.length) await deleteDrafts(manager, customerId, source, step.gone);
    });
    Object.assign(lease, { checkpoint, lockedUntil });
  }

  /** Gives the sync back after a complete run. @throws LeaseLostError */
  async succeed(lease: SyncLease, checkpoint: SyncCheckpoint, dueAt: Date): Promise<void> {
    await this.hold(
      this.dataSource.manager,
      lease,
      `checkpoint = $4, locked_until = null, due_at = $5, failures = 0, finished_at = $6, succeeded_at = $6, last_error = null`,
      [checkpoint, dueAt, new Date()],
    );
  }

  /** Gives the sync back after a run that failed; the next one goes on where this one stopped. @throws LeaseLostError */
  async fail(lease: SyncLease, error: string, dueAt: Date): Promise<void> {
    await this.hold(
      this.dataSource.manager,
      lease,
      `locked_until = null, due_at = $4, failures = failures + 1, finished_at = $5, last_error = $6`,
      [dueAt, new Date(), error],
    );
  }

  /** Gives the sync back in the middle of a run, for another process to go on at once. */
  async release(lease: SyncLease): Promise<void> {
    await this.hold(this.dataSource.manager, lease, 'locked_until = null, due_at = $4', [new Date()]);
  }

  /**
   * What no feed has shown since a run began and must be asked for by itself: unsettled invoices, and items that could not
   * be read before. `forgettable` is what may vanish from the source without a trace.
   */
  async unconfirmed(
    lease: SyncLease,
    before: Date,
    after: string,
    limit: number,
  ): Promise<{ id: string; forgettable: boolean }[]> {
    return this.dataSource.query(
      `select id, bool_and(forgettable) as forgettable from (
         select source_id as id, status = 'draft' as forgettable from invoice
         where customer_id = $1 and source = $2 and source_id > $3 and status in ('draft', 'open', 'uncollectible')
           and (synced_at is null or synced_at < $4)
         union all
         select p.source_id, i.id is null or i.status = 'draft' from invoice_sync_problem p
         left join invoice i on i.customer_id = $1 and i.source = $2 and i.source_id = p.source_id
         where p.customer_id = $1 and p.source = $2 and p.source_id > $3 and p.seen_at < $4
           and p.source_id not like '%without an id'
       ) unseen group by id order by id limit $5`,
      [lease.customerId, lease.source, after, before, limit],
    );
  }

  private async hold(manager: EntityManager, lease: SyncLease, set: string, values: unknown[]): Promise<void> {
    const [, held] = await manager.query<[unknown[], number]>(
      `update invoice_sync set ${set} where customer_id = $1 and source = $2 and locked_until = $3`,
      [lease.customerId, lease.source, lease.lockedUntil, ...values],
    );
    if (held === 0) throw new LeaseLostError(`The sync of ${lease.customerId} with ${lease.source} was taken over`);
  }
}
