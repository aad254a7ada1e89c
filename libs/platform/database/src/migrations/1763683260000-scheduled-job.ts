import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Background jobs: when each is due, which worker has it, how it last went. Concerns no customer. */
export class ScheduledJob1763683260000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table scheduled_job`);
  }
}
