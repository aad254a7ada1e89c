import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the usage of all customers by day, and of calls with an unknown outcome. */
export class AiUsageOfDays1763683203700 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    // Without the sums, which each call changes: the row then changes in its page, and no index does.
    await runner.query(`create index ai_usage_day_day_idx on ai_usage_day (day)`);
    await runner.query(
      `create index ai_reservation_unpaid_idx on ai_reservation ((resolved_at at time zone 'UTC') desc, id desc) where state in ('outcome_unknown', 'not_charged')`,
    );
  }
}
