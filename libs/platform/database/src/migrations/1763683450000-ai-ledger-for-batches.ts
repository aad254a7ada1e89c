import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openToBatches } from './helpers';

const BATCH_TABLES = ['ai_settings', 'ai_account', 'ai_hold', 'ai_usage', 'ai_ledger_entry'];

/**
 * Makes the ledger's tables ready for statements that serve many customers (`docs/decisions/ai-ledger.md`): a list of customers
 * may be set, a charged hold gives way to its usage row, which takes its id over, and there are no foreign keys between them.
 * It removes what the former code calls, since no version has been released that could still run beside it.
 */
export class AiLedgerForBatches1763683450000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function app.set_customers(customers uuid[]) returns void language plpgsql as $$
      begin
        -- SET LOCAL for the same reason as in app.set_customer().
        execute format('set local app.customer_ids = %L', customers);
      end $$`);
    await runner.query(`revoke all on function app.set_customers(uuid[]) from public`);
    await runner.query(`grant execute on function app.set_customers(uuid[]) to customer_api, account_operator`);
    for (const table of BATCH_TABLES) await openToBatches(runner, table);
    await runner.query(`grant delete on ai_hold to customer_api`);

    await runner.query(`alter table ai_usage drop constraint ai_usage_hold_fk`);
    await runner.query(`alter table ai_hold drop constraint ai_hold_account_fk`);
    await runner.query(`alter table ai_ledger_entry drop constraint ai_ledger_entry_account_fk`);
    await runner.query(`alter table ai_ledger_entry rename column hold_id to usage_id`);

    await runner.query(`drop index ai_usage_newest_idx`);
    await runner.query(`alter table ai_usage drop constraint ai_usage_pk`);
    await runner.query(`alter table ai_usage drop constraint ai_usage_hold_key`);
    await runner.query(`alter table ai_usage drop column id`);
    await runner.query(`alter table ai_usage rename column hold_id to id`);
    await runner.query(`alter table ai_usage add constraint ai_usage_pk primary key (customer_id, id)`);
    await runner.query(`alter table ai_usage add column api_request_id text, add column token_id uuid`);
    // Forced row level security would hide the rows from the owner who migrates.
    await runner.query(`alter table ai_hold no force row level security`);
    await runner.query(`alter table ai_usage no force row level security`);
    await runner.query(`
      update ai_usage u set api_request_id = h.request_id, token_id = h.token_id
      from ai_hold h where h.customer_id = u.customer_id and h.id = u.id`);
    await runner.query(`delete from ai_hold where state = 'settled'`);
    await runner.query(`alter table ai_hold force row level security`);
    await runner.query(`alter table ai_usage force row level security`);

    await runner.query(
      `drop function app.ai_hold(uuid, text, timestamptz, timestamptz, boolean, uuid[], integer[], text[], integer[], integer[], boolean[], text[], uuid[])`,
    );
    await runner.query(`drop function app.ai_release(uuid, timestamptz, uuid[], text[])`);
    await runner.query(
      `drop function app.ai_settle(uuid, text, timestamptz, text, uuid[], uuid[], integer[], integer[], integer[], integer[], integer[], text[])`,
    );
  }

  down(): Promise<void> {
    // The holds of charged calls are gone.
    throw new Error('The AI ledger cannot go back to a hold for every call');
  }
}
