import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../schema/forward-migration';

/** What the clock of the served time showed before the last outage of the database, or of this node of a cluster. */
const SERVED_BEFORE_OUTAGE = `
  alter table liveness_clock add column if not exists served_before_outage interval not null default '0'`;

/** When the database was away: what waited for it is not given up while it is being stored. */
export class Outages1763683207100 extends ForwardMigration {
  override readonly nodeTables = { liveness_clock: [SERVED_BEFORE_OUTAGE] };

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SERVED_BEFORE_OUTAGE);
  }
}
