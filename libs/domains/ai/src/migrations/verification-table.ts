import type { QueryRunner } from 'typeorm';

/** The last hourly verification of the ledgers, for the metrics of every worker. One row. */
export async function createVerificationTable(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table ai_verification (
      id boolean not null default true,
      finished_at timestamptz,
      accounts integer not null default 0,
      problems integer not null default 0,
      constraint ai_verification_pk primary key (id),
      constraint ai_verification_one_row_check check (id)
    )`);
  await runner.query(`insert into ai_verification default values`);
  await runner.query(`grant select, update on ai_verification to account_operator`);
}
