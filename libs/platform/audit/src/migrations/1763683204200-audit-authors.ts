import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the audit log by author: of a person there are few entries among many of tokens. */
export class AuditAuthors1763683204200 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index audit_log_actor_idx on audit_log (actor, id desc)`);
  }
}
