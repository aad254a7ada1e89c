import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Background jobs are pg-boss's, which keeps them in a schema of its own. */
export class DropScheduledJob1763683800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table scheduled_job`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table scheduled_job (
        name text not null,
        due_at timestamptz not null,
        locked_until timestamptz,
        last_started_at timestamptz,
        last_finished_at timestamptz,
        last_error text,
        constraint scheduled_job_pk primary key (name)
      )`);
    await runner.query(`grant select, insert, update, delete on scheduled_job to account_operator`);
  }
}
