import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/**
 * Indexes of parts of the texts of tickets. Entries are collected and sorted in by some thousands: one by one they would make the opening
 * of a ticket several times as long. The fewer are collected, the shorter waits the one who sorts them in.
 */
export class TicketSearch1763683204500 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index support_ticket_text_idx on support_ticket using gin ((title || ' ' || body) gin_trgm_ops)
       with (gin_pending_list_limit = 512)`,
    );
    await runner.query(
      `create index support_ticket_reply_text_idx on support_ticket_reply using gin (body gin_trgm_ops)
       with (gin_pending_list_limit = 512)`,
    );
  }
}
