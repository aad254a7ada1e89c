import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BillingSourceName } from '../invoice-record';
import { BillingSourcesService } from '../adapters/billing-sources.service';

/** Accounts that failed last time wait apart, so that they never take the others' places. */
export type SyncLane = 'well' | 'failing';

/** A source's syncs of one lane, and how many of them a worker runs at a time. */
export interface SyncLaneSettings {
  source: BillingSourceName;
  lane: SyncLane;
  concurrency: number;
}

/** Customers to be synced with a source. */
export interface DueSyncs {
  source: BillingSourceName;
  lane: SyncLane;
  customerIds: string[];
  /** When they were found due, by the database's clock. */
  foundAt: string;
}

/** Looked up at a time. */
const BATCH = 2_000;
/** What was queued so long ago and has not run is queued again: the queue may have been emptied. */
const QUEUE_EXPIRY = `interval '10 minutes'`;

/** Tells which syncs are due. */
@Injectable()
export class DueSyncsService {
  constructor(
    private readonly sources: BillingSourcesService,
    private readonly dataSource: DataSource,
  ) {}

  /** The lanes of all sources that are configured. */
  lanes(): SyncLaneSettings[] {
    return this.sources
      .all()
      .flatMap(({ name, concurrency }) =>
        (['well', 'failing'] as const).map((lane) => ({ source: name, lane, concurrency: concurrency[lane] })),
      );
  }

  /** What is due and is not in the queue, longest due first. */
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
   * Remembers which of them were put into the queue, as of when they were found due: one that was made due anew since is
   * still to be put in. So is one that the queue refused because its former run is under way; one that only waits there
   * for very long is not looked at again for a while.
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
