import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Whether the person was asked at a login: an identity provider may know them from before, and then nobody has to be there. */
export class AskedLogins1763683204000 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table operator_session add column asked boolean not null default true');
  }
}
