import type { QueryRunner } from 'typeorm';

/** Which processes live: what one has reserved is released soon after it died. */
export async function createLivenessTables(runner: QueryRunner): Promise<void> {
  // One row: the time that the database has served, counted by heartbeats.
  await runner.query(`
    create table liveness_clock (
      id boolean not null default true,
      served interval not null default '0',
      ticked_at timestamptz not null default now(),
      constraint liveness_clock_pk primary key (id),
      constraint liveness_clock_one_row_check check (id)
    )`);
  await runner.query(`insert into liveness_clock default values`);
  await runner.query(`
    create table process_liveness (
      id uuid not null,
      seen interval not null,
      seen_at timestamptz not null,
      constraint process_liveness_pk primary key (id)
    )`);
  for (const table of ['liveness_clock', 'process_liveness']) {
    await runner.query(`grant select, insert, update, delete on ${table} to customer_api, account_operator`);
  }
}
