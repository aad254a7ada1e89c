import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the status events of all customers. */
export class StatusInbox1763683203500 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index status_event_inbox_idx on status_event ((created_at at time zone 'UTC') desc, id desc)`,
    );
  }
}
