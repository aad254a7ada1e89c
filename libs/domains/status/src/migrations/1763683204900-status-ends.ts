import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of status events by their end, which those that have not ended are counted along. */
export class StatusEnds1763683204900 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index status_event_end_idx on status_event (ends_at)`);
  }
}
