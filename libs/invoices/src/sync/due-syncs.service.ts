import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BillingSourceName } from '../invoice-record';
import { BillingSources } from '../sources/billing-sources';

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
}

/** Looked up at a time. */
const BATCH = 2_000;
/** What was queued so long ago and has not run is queued again: the queue may have been emptied. */
const FORGOTTEN = `interval '10 minutes'`;

/** Tells which syncs are due. */
@Injectable()
export class DueSyncsService {
  constructor(
    private readonly sources: BillingSources,
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
    const rows = await this.dataSource.query<{ customer_id: string }[]>(
      `select customer_id from invoice_sync
       where source = $1 and due_at <= app.now() and (failures > 0) = $2
         and (queued_at is null or queued_at < due_at or queued_at < app.now() - ${FORGOTTEN})
       order by due_at limit $3`,
      [source, lane === 'failing', BATCH],
    );
    return { source, lane, customerIds: rows.map(({ customer_id }) => customer_id) };
  }

  /** Remembers that they are in the queue. */
  async markQueued({ source, customerIds }: DueSyncs): Promise<void> {
    if (customerIds.length === 0) return;
    await this.dataSource.query(
      'update invoice_sync set queued_at = app.now() where source = $1 and customer_id = any($2)',
      [source, customerIds],
    );
  }
}
