import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the tickets' ids, by which the operator finds one without its customer. */
export class TicketIds1763683207600 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index support_ticket_id_idx on support_ticket (id)');
  }
}
