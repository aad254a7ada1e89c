import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the events of all customers. */
export class EventInbox1763683203800 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index event_inbox_idx on event ((created_at at time zone 'UTC') desc, id desc)`);
  }
}
