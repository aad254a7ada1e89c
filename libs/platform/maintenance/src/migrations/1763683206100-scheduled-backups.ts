import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Which backups the machine's schedule made: an alert tells when the next one does not come, though others do. */
export class ScheduledBackups1763683206100 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table backup add column scheduled boolean not null default false');
  }
}
