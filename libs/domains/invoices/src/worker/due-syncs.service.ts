import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BillingSourceName } from '../invoice-values';
import { BillingSourcesService } from '../adapters/billing-sources.service';

/** Accounts that failed last time have a queue of their own, so that they do not delay the others. */
export type SyncLane = 'well' | 'failing';

/** A source's queue for one lane, and how many of its syncs a worker runs at a time. */
export interface SyncLaneSettings {
  source: BillingSourceName;
  lane: SyncLane;
  concurrency: number;
}

/** Customers whose sync with a source is due. */
export interface DueSyncs {
  source: BillingSourceName;
  lane: SyncLane;
  customerIds: string[];
  /** When they were found due, by the database's clock. */
  foundAt: string;
  /** The latest time at which a sync may be due, by then. */
  latestDue: string;
}

/** Number of accounts per query. */
const BATCH = 2_000;
/** A sync that was queued this long ago and has not run is queued again: the queue may have been emptied. */
const QUEUE_EXPIRY = `interval '10 minutes'`;
/**
 * No sync is due later than this from now: two are 45 minutes apart at most, and sources may ask for pauses of an hour. One that is, and one that
 * was queued in the future, are from a time when the database's clock was ahead.
 */
const LATEST_DUE = `app.now() + interval '1 hour'`;

/** Finds syncs that are due. */
@Injectable()
export class DueSyncsService {
  constructor(
    private readonly sources: BillingSourcesService,
    private readonly dataSource: DataSource,
  ) {}

  /** The lanes of all configured sources. */
  lanes(): SyncLaneSettings[] {
    return this.sources
      .all()
      .flatMap(({ name, concurrency }) =>
        (['well', 'failing'] as const).map((lane) => ({ source: name, lane, concurrency: concurrency[lane] })),
      );
  }

  /** Syncs that are due and not queued, the longest due first. */
  async find({ source, lane }: Pick<SyncLaneSettings, 'source' | 'lane'>): Promise<DueSyncs> {
    // One by one: together, their two ranges of time would be no range of the index.
    const find = (when: string) =>
      this.dataSource.query<{ customer_id: string; found_at: string; latest_due: string }[]>(
        `select customer_id, app.now()::text as found_at, (${LATEST_DUE})::text as latest_due from invoice_sync
         where source = $1 and ${when} and (failures > 0) = $2
           and (queued_at is null or queued_at < due_at or queued_at < app.now() - ${QUEUE_EXPIRY} or queued_at > app.now())
         order by due_at limit $3`,
        [source, lane === 'failing', BATCH],
      );
    const due = await find('due_at <= app.now()');
    const rows = due.length > 0 ? due : await find(`due_at > ${LATEST_DUE}`);
    const { found_at: foundAt = '', latest_due: latestDue = '' } = rows[0] ?? {};
    return { source, lane, customerIds: rows.map(({ customer_id }) => customer_id), foundAt, latestDue };
  }

  /**
   * Marks syncs as queued, as of when they were found due: one that was made due again since remains to be queued. The
   * same applies to one that the queue refused because its last run is in progress. One that was due too late was due then.
   */
  async markQueued({ source, customerIds, foundAt, latestDue }: DueSyncs, put: readonly string[]): Promise<void> {
    if (customerIds.length === 0) return;
    await this.dataSource.query(
      `update invoice_sync set queued_at = $2, due_at = case when due_at > $5 then $2 else due_at end
       where source = $1 and customer_id = any($3) and (customer_id = any($4) or queued_at between due_at and $2)`,
      [source, foundAt, customerIds, put, latestDue],
    );
  }
}
