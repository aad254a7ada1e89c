import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';
import { sqlFile } from './sql-file';

const SQL = 'domains/ai/src/ledger/sql';
const KEPT = 'app.ai_kept_over_month(numeric, numeric, numeric, numeric)';

/** What an audit of the ledger's functions changed; their signatures stay. */
const CHANGED: Record<string, string> = {
  'month/roll-over': 'app.ai_roll_over(uuid, text, timestamptz)',
  reserve:
    'app.ai_reserve(uuid[], text, interval, timestamptz, boolean, uuid, integer[], integer[], uuid[], integer[], text[], integer[], integer[], boolean[], text[], uuid[])',
  settle:
    'app.ai_settle(uuid[], text, timestamptz, text, integer[], uuid[], integer[], integer[], integer[], integer[], integer[], text[])',
};

/** One rule of what survives the month's turn, for the books and for what customers read; the functions that changed. */
export class AiLedgerFunctionsAudited1763684010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlFile(`${SQL}/month/kept-over-month.sql`));
    await exposeFunction(runner, KEPT);
    for (const [file, signature] of Object.entries(CHANGED)) {
      await runner.query(`drop function ${signature}`);
      await runner.query(sqlFile(`${SQL}/${file}.sql`));
      await exposeFunction(runner, signature);
    }
  }

  down(): Promise<void> {
    throw new Error('The former definitions are gone');
  }
}
