import type { QueryRunner } from 'typeorm';
import { partitionByMonth, secureCustomerTable } from '@platform/database';

/** The prices of models, the operator's decisions about a customer's use of AI, and the customer's credit. */
export async function createAccountTables(runner: QueryRunner): Promise<void> {
  // In NOK per million tokens. Rows are only added: a call is charged by the row that was valid when it began. Six decimals,
  // so that tokens × rate / 1,000,000 is exact in twelve.
  await runner.query(`
    create table ai_model_price (
      model text not null,
      valid_from timestamptz not null,
      input numeric(18,6) not null,
      cache_write_5m numeric(18,6) not null,
      cache_write_1h numeric(18,6) not null,
      cache_read numeric(18,6) not null,
      output numeric(18,6) not null,
      example boolean not null default false,
      created_at timestamptz not null default now(),
      constraint ai_model_price_pk primary key (model, valid_from),
      constraint ai_model_price_rates_check check (
        input >= 0 and cache_write_5m >= 0 and cache_write_1h >= 0 and cache_read >= 0 and output >= 0)
    )`);
  await runner.query(`grant select on ai_model_price to customer_api`);
  await runner.query(`grant select, insert, delete on ai_model_price to account_operator`);

  await runner.query(`
    create table ai_settings (
      customer_id uuid not null,
      enabled boolean not null default false,
      model text,
      key_ciphertext bytea,
      monthly_limit numeric(24,12),
      total_limit numeric(24,12),
      updated_at timestamptz not null default now(),
      constraint ai_settings_pk primary key (customer_id),
      constraint ai_settings_customer_fk foreign key (customer_id) references customer (id),
      constraint ai_settings_monthly_limit_check check (monthly_limit >= 0),
      constraint ai_settings_total_limit_check check (total_limit >= 0)
    )`);
  await secureCustomerTable(runner, 'ai_settings', { apiMay: 'select' });

  // Apart from the settings, because it changes with every call. The check that nothing is below zero or reserved twice is
  // worth its price in every call; the other tables that a call writes have none, since PostgreSQL reads a check's text anew
  // in each statement: ten of them cost half as much as all the rest. The ledger's functions, which alone write these tables,
  // keep to these conditions, and `ai verify` checks them. For the same reason it is one comparison.
  // The month '0000-00' is before the first: the first roll-over grants without anything to expire.
  await runner.query(`
    create table ai_account (
      customer_id uuid not null,
      month text not null default '0000-00',
      month_granted numeric(24,12) not null default 0,
      month_usage numeric(24,12) not null default 0,
      month_included_usage numeric(24,12) not null default 0,
      included numeric(24,12) not null default 0,
      carried_over numeric(24,12) not null default 0,
      purchased numeric(24,12) not null default 0,
      reserved numeric(24,12) not null default 0,
      ledger_sequence bigint not null default 0,
      constraint ai_account_pk primary key (customer_id),
      constraint ai_account_customer_fk foreign key (customer_id) references customer (id),
      constraint ai_account_balance_check check (least(included, purchased, reserved, included + purchased - reserved) >= 0)
    ) with (fillfactor = 50)`);
  await secureCustomerTable(runner, 'ai_account', { apiMay: 'select' });
}

/**
 * The records of a call: a reservation, then a usage row and ledger entries. There are no foreign keys between them: each would
 * cost a look-up and a row lock per row, and one to the price would make all calls of a model queue for its row's lock. The
 * API's role writes none of them, only the ledger's functions do.
 */
export async function createCallTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table ai_reservation (
      customer_id uuid not null,
      id uuid not null,
      state text not null default 'pending',
      amount numeric(24,12) not null,
      model text not null,
      price_valid_from timestamptz not null,
      input_tokens_bound integer not null,
      max_tokens integer not null,
      deadline timestamptz not null,
      month text,
      included_limit numeric(24,12),
      process_id uuid,
      request_id text,
      token_id uuid,
      key_hash bytea,
      reason text,
      created_at timestamptz not null,
      resolved_at timestamptz,
      constraint ai_reservation_pk primary key (customer_id, id)
    )`);
  await runner.query(
    `create index ai_reservation_pending_idx on ai_reservation (customer_id, deadline) where state = 'pending'`,
  );
  await runner.query(
    `create index ai_reservation_unknown_idx on ai_reservation (customer_id, resolved_at desc) where state in ('outcome_unknown', 'not_charged')`,
  );
  await secureCustomerTable(runner, 'ai_reservation');

  await runner.query(`
    create table ai_usage (
      customer_id uuid not null,
      id uuid not null,
      provider text not null,
      model text not null,
      input_tokens integer not null,
      cache_write_5m_tokens integer not null,
      cache_write_1h_tokens integer not null,
      cache_read_tokens integer not null,
      output_tokens integer not null,
      cost numeric(24,12) not null,
      uncovered numeric(24,12) not null default 0,
      paid_from_included numeric(24,12) not null default 0,
      paid_from_purchased numeric(24,12) not null default 0,
      price_valid_from timestamptz,
      currency text not null default 'NOK',
      request_id text,
      api_request_id text,
      token_id uuid,
      streamed boolean not null default false,
      created_at timestamptz not null,
      constraint ai_usage_pk primary key (customer_id, id)
    ) partition by range (id)`);
  await secureCustomerTable(runner, 'ai_usage', { apiMay: 'select' });
  await runner.query(`revoke update, delete on ai_usage from account_operator`);
  // The caller's own text, which an erasure of the customer empties.
  await runner.query(`grant update (request_id, api_request_id) on ai_usage to account_operator`);
  await partitionByMonth(runner, 'ai_usage');

  // Sums of the above, written by the settlement under the account's lock, which every settlement of the customer holds
  // anyway: nobody waits for these rows. A summary reads them alone, not the calls behind it. A call without a
  // token counts under the nil UUID, because a key has no null.
  await runner.query(`
    create table ai_usage_day (
      customer_id uuid not null,
      day date not null,
      model text not null,
      token_id uuid not null,
      calls bigint not null,
      input_tokens bigint not null,
      cache_write_5m_tokens bigint not null,
      cache_write_1h_tokens bigint not null,
      cache_read_tokens bigint not null,
      output_tokens bigint not null,
      cost numeric(24,12) not null,
      uncovered numeric(24,12) not null,
      paid_from_included numeric(24,12) not null,
      paid_from_purchased numeric(24,12) not null,
      constraint ai_usage_day_pk primary key (customer_id, day, model, token_id)
    ) with (fillfactor = 50)`);
  await secureCustomerTable(runner, 'ai_usage_day', { apiMay: 'select' });
  await runner.query(`revoke delete on ai_usage_day from account_operator`);

  // In the order of the account's own counter. Entries are only added: a correction is a new entry.
  await runner.query(`
    create table ai_ledger_entry (
      customer_id uuid not null,
      id uuid not null default app.new_id(),
      sequence bigint not null,
      kind text not null,
      bucket text not null,
      amount numeric(24,12) not null,
      balance_after numeric(24,12) not null,
      month text not null,
      usage_id uuid,
      credit_request_id integer,
      invoice_id uuid,
      note text,
      actor text not null,
      created_at timestamptz not null,
      constraint ai_ledger_entry_pk primary key (customer_id, id)
    ) partition by range (id)`);
  // Not unique, as it lacks the partition key: the account's lock gives each number once.
  await runner.query(`create index ai_ledger_entry_sequence_idx on ai_ledger_entry (customer_id, sequence)`);
  // The few entries among many calls that are asked for by their kind; a call's entry is not in it.
  await runner.query(
    `create index ai_ledger_entry_other_idx on ai_ledger_entry (customer_id, sequence) where kind <> 'usage'`,
  );
  await secureCustomerTable(runner, 'ai_ledger_entry', { apiMay: 'select' });
  await runner.query(`revoke update, delete on ai_ledger_entry from account_operator`);
  await runner.query(`grant update (note) on ai_ledger_entry to account_operator`);
  await partitionByMonth(runner, 'ai_ledger_entry');

  // The sums of the entries of dropped months. Verification starts from it.
  await runner.query(`
    create table ai_ledger_carried (
      customer_id uuid not null,
      bucket text not null,
      balance numeric(24,12) not null,
      sequence bigint not null,
      before timestamptz not null,
      constraint ai_ledger_carried_pk primary key (customer_id, bucket)
    )`);
  await secureCustomerTable(runner, 'ai_ledger_carried');
  await runner.query(`revoke delete on ai_ledger_carried from account_operator`);
}
