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
}

/** Number of accounts per query. */
const BATCH = 2_000;
/** A sync that was queued this long ago and has not run is queued again: the queue may have been emptied. */
const QUEUE_EXPIRY = `interval '10 minutes'`;

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
    const rows = await this.dataSource.query<{ customer_id: string; found_at: string }[]>(
      `select customer_id, app.now()::text as found_at from invoice_sync
       where source = $1 and due_at <= app.now() and (failures > 0) = $2
         and (queued_at is null or queued_at < due_at or queued_at < app.now() - ${QUEUE_EXPIRY})
       order by due_at limit $3`,
      [source, lane === 'failing', BATCH],
    );
    return { source, lane, customerIds: rows.map(({ customer_id }) => customer_id), foundAt: rows[0]?.found_at ?? '' };
  }

  /**
   * Marks syncs as queued, as of when they were found due: one that was made due again since remains to be queued. The
   * same applies to one that the queue refused because its last run is in progress.
   */
  async markQueued({ source, customerIds, foundAt }: DueSyncs, put: readonly string[]): Promise<void> {
    if (customerIds.length === 0) return;
    await this.dataSource.query(
      `update invoice_sync set queued_at = $2 where source = $1 and customer_id = any($3)
         and (customer_id = any($4) or queued_at >= due_at)`,
      [source, foundAt, customerIds, put],
    );
  }
}
