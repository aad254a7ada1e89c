import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Indexes of the tickets of all customers by urgency and by priority, as the operator's list orders them. */
export class TicketOrders1763683204100 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    const priority = `array_position('{low,normal,high,urgent}'::text[], priority)`;
    await runner.query(
      `create index support_ticket_urgency_idx on support_ticket (
        ((case when status = 'open' then ${priority} else 0 end) * 100000000000
          + extract(epoch from created_at - timestamptz '1970-01-01 00:00:00+00')) desc,
        id desc)`,
    );
    await runner.query(
      `create index support_ticket_priority_idx on support_ticket ((${priority}::numeric) desc, id desc)`,
    );
  }
}
