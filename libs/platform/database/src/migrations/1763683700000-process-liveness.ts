import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction, replicate } from './helpers';
import { sqlFile } from './sql-file';

const SQL = 'domains/ai/src/liveness/sql';

/** Which processes live: what they have reserved is given back soon after they died. */
export class ProcessLiveness1763683700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
      await replicate(runner, table);
      await runner.query(`grant select, insert, update, delete on ${table} to customer_api, account_operator`);
    }
    await runner.query(sqlFile(`${SQL}/process-heartbeat.sql`));
    await exposeFunction(runner, 'app.process_heartbeat(uuid)');
    await runner.query(sqlFile(`${SQL}/process-is-gone.sql`));
    await exposeFunction(runner, 'app.process_is_gone(uuid)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function app.process_is_gone(uuid)`);
    await runner.query(`drop function app.process_heartbeat(uuid)`);
    await runner.query(`drop table process_liveness`);
    await runner.query(`drop table liveness_clock`);
  }
}
