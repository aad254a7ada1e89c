import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Indexes of the tickets of all customers. */
export class TicketInbox1763683203200 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index support_ticket_inbox_idx on support_ticket ((created_at at time zone 'UTC') desc, id desc)`,
    );
    await runner.query(
      `create index support_ticket_updated_idx on support_ticket ((updated_at at time zone 'UTC') desc, id desc)`,
    );
    await runner.query(
      `create index support_ticket_open_idx on support_ticket ((created_at at time zone 'UTC') desc, id desc) where status = 'open'`,
    );
  }
}
