import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the urgent tickets that are open, of which the console tells the number. */
export class UrgentTickets1763683205200 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index support_ticket_urgent_idx on support_ticket (customer_id) where status = 'open' and priority = 'urgent'`,
    );
  }
}
