import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BILLING_SOURCES, type BillingSourceName } from '../invoice-values';

/** State of the syncs with a source, over all customers. */
export interface SourceSyncHealth {
  source: BillingSourceName;
  accounts: number;
  /** Accounts whose last run failed. */
  failing: number;
  /** Age of the oldest last success in seconds; an account that never succeeded counts from when it was linked. */
  oldest_success_age: number;
  /** The delay of the most overdue sync, in seconds. */
  overdue: number;
  /** Documents that could not be read. */
  problems: number;
}

/** State of the syncs for the metrics and the operator. */
@Injectable()
export class SyncHealthService {
  constructor(private readonly dataSource: DataSource) {}

  /** The accounts of each source whose last run failed; sources that no customer is linked to are left out. */
  async failing(): Promise<Pick<SourceSyncHealth, 'source' | 'failing'>[]> {
    const counts = await this.dataSource.query<Pick<SourceSyncHealth, 'source' | 'failing'>[]>(
      'select source, count(*)::int as failing from invoice_sync where failures > 0 group by source',
    );
    // One statement about all sources is refused by a cluster.
    const linked = await Promise.all(BILLING_SOURCES.map((source) => this.isLinked(source)));
    return BILLING_SOURCES.filter((_, index) => linked[index])
      .toSorted()
      .map((source) => counts.find((count) => count.source === source) ?? { source, failing: 0 });
  }

  private async isLinked(source: BillingSourceName): Promise<boolean> {
    const found = await this.dataSource.query<unknown[]>('select source from invoice_sync where source = $1 limit 1', [
      source,
    ]);
    return found.length > 0;
  }

  /** One entry for each source that customers are linked to. */
  async bySource(): Promise<SourceSyncHealth[]> {
    const syncs = await this.dataSource.query<SourceSyncHealth[]>(
      `select s.source, count(*)::int as accounts, (count(*) filter (where s.failures > 0))::int as failing,
         extract(epoch from app.now() - min(coalesce(s.succeeded_at, a.created_at)))::float8 as oldest_success_age,
         greatest(extract(epoch from app.now() - min(s.due_at)), 0)::float8 as overdue
       from invoice_sync s join billing_account a using (customer_id, source) group by s.source`,
    );
    const problems = await this.dataSource.query<{ source: BillingSourceName; count: number }[]>(
      'select source, count(*)::int as count from invoice_sync_problem group by source',
    );
    const count = new Map(problems.map((row) => [row.source, row.count]));
    return syncs.map((row) => ({ ...row, problems: count.get(row.source) ?? 0 }));
  }
}
