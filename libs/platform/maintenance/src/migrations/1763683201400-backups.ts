import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The backups that were made, for alerts about their age. */
export class Backups1763683201400 extends ForwardMigration {
  override readonly tables = ['backup'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table backup (
        id uuid not null default app.new_id(),
        kind text not null,
        bytes bigint not null,
        free_bytes bigint not null,
        completed_at timestamptz not null default now(),
        constraint backup_pk primary key (id),
        constraint backup_kind_check check (kind in ('dump', 'base'))
      )`);
    await runner.query(`grant select on backup to account_operator`);
  }
}
