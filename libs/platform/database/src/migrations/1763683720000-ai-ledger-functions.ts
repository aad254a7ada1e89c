import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';
import { sqlFile } from './sql-file';

const SQL = 'domains/ai/src/ledger/sql';

const FORMER = [
  'app.ai_hold(uuid[], text, timestamptz, timestamptz, boolean, integer[], integer[], uuid[], integer[], text[], integer[], integer[], boolean[], text[], uuid[])',
  'app.ai_release(uuid[], timestamptz, integer[], uuid[], text[])',
  'app.ai_settle(uuid[], text, timestamptz, text, integer[], uuid[], integer[], integer[], integer[], integer[], integer[], text[])',
  'app.ai_resolve_stale(uuid, timestamptz)',
  'app.ai_roll_over(uuid, text, timestamptz)',
  'app.ai_credit(uuid, text, timestamptz, text, numeric, text, text, integer, uuid)',
];

/** In the order in which they need one another. */
const FUNCTIONS: { file: string; signature: string; roles?: string[] }[] = [
  { file: 'month/billing-month', signature: 'app.billing_month(timestamptz, text)' },
  { file: 'spendable', signature: 'app.ai_spendable(numeric, numeric, numeric)' },
  { file: 'month/roll-over', signature: 'app.ai_roll_over(uuid, text, timestamptz)' },
  { file: 'month/expire-carried-over', signature: 'app.ai_expire_carried_over(uuid, timestamptz)' },
  { file: 'resolve-abandoned', signature: 'app.ai_resolve_abandoned(uuid)' },
  {
    file: 'reserve',
    signature:
      'app.ai_reserve(uuid[], text, interval, timestamptz, boolean, uuid, integer[], integer[], uuid[], integer[], text[], integer[], integer[], boolean[], text[], uuid[])',
  },
  {
    file: 'settle',
    signature:
      'app.ai_settle(uuid[], text, timestamptz, text, integer[], uuid[], integer[], integer[], integer[], integer[], integer[], text[])',
  },
  { file: 'release', signature: 'app.ai_release(uuid[], integer[], uuid[], text[], text[])' },
  { file: 'unlocked-accounts', signature: 'app.ai_unlocked_accounts(uuid[])' },
  {
    file: 'credit',
    signature: 'app.ai_credit(uuid, text, timestamptz, text, numeric, text, text, integer, uuid)',
    roles: ['account_operator'],
  },
];

/** The ledger's functions as their files define them. No version has been released that could still call the former ones. */
export class AiLedgerFunctions1763683720000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const signature of FORMER) await runner.query(`drop function ${signature}`);
    for (const { file, signature, roles } of FUNCTIONS) {
      await runner.query(sqlFile(`${SQL}/${file}.sql`));
      await exposeFunction(runner, signature, roles);
    }
  }

  down(): Promise<void> {
    throw new Error('The AI ledger cannot go back to one kind of limit');
  }
}
