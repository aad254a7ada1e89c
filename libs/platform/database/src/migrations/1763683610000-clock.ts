import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';
import { sqlFile } from './sql-file';

/** The clock that decides what is booked, expired or due (`docs/decisions/clock.md`). */
export class Clock1763683610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlFile('platform/database/src/sql/now.sql'));
    await exposeFunction(runner, 'app.now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function app.now()`);
  }
}
