import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';
import { AI_FUNCTIONS } from './ai-functions';
import { createAccountTables, createCallTables } from './ai-tables';

/**
 * The processes that live: the reservations of one are released soon after it died. The clock is one row: the time that the
 * database, or this node of a cluster, has served, counted by heartbeats.
 */
const LIVENESS_TABLES = {
  liveness_clock: [
    `create table if not exists liveness_clock (
      id boolean not null default true,
      served interval not null default '0',
      ticked_at timestamptz not null default now(),
      constraint liveness_clock_pk primary key (id),
      constraint liveness_clock_one_row_check check (id)
    )`,
    `insert into liveness_clock default values on conflict do nothing`,
    `grant select, insert, update, delete on liveness_clock to account_operator`,
  ],
  process_liveness: [
    `create table if not exists process_liveness (
      id uuid not null,
      seen interval not null,
      seen_at timestamptz not null,
      constraint process_liveness_pk primary key (id)
    )`,
    `grant select, insert, update, delete on process_liveness to account_operator`,
  ],
};

/** Prices, accounts, the calls and their ledger, and which processes live. */
export class AiSchema1763683200700 extends ForwardMigration {
  override readonly tables = [
    'ai_model_price',
    'ai_settings',
    'ai_account',
    'ai_reservation',
    'ai_usage',
    'ai_usage_day',
    'ai_ledger_entry',
    'ai_ledger_carried',
    'liveness_clock',
    'process_liveness',
    'ai_verification',
  ];

  override readonly nodeTables = LIVENESS_TABLES;
  override readonly functions = AI_FUNCTIONS;

  async up(runner: QueryRunner): Promise<void> {
    await createAccountTables(runner);
    await createCallTables(runner);
    for (const statement of Object.values(LIVENESS_TABLES).flat()) await runner.query(statement);
    await createVerificationTable(runner);
    await createCallTypes(runner);
  }
}

/** The last hourly verification of the ledgers, for the metrics of every worker. One row. */
async function createVerificationTable(runner: QueryRunner): Promise<void> {
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

/**
 * The parameters of the ledger's functions for each call, and their results. `owner` is the place of the call's customer in the
 * batch's list of customers, `place` that of the call in the batch. The order of the fields is that of
 * `ledger/ledger-statements.ts`.
 */
async function createCallTypes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create type app.ai_reservation_request as (
      seed uuid, input_tokens integer, cache text, max_tokens integer, least_tokens integer, may_shorten boolean,
      request_id text, token_id uuid, key_hash bytea, key_fingerprint bytea)`);
  // A customer whose calls, from first to last, ask for credit: the account, its settings and the price of its model.
  await runner.query(`
    create type app.ai_payer as (
      customer_id uuid, first integer, last integer, month text, included numeric, purchased numeric, reserved numeric,
      month_usage numeric, month_included_usage numeric, monthly_limit numeric, total_limit numeric, enabled boolean,
      model text, key_ciphertext bytea, price_valid_from timestamptz, input numeric, cache_write_5m numeric,
      cache_write_1h numeric, cache_read numeric, output numeric)`);
  await runner.query(`
    create type app.ai_reservation_result as (
      place integer, outcome text, id uuid, model text, key_ciphertext bytea, max_tokens integer)`);
  await runner.query(`
    create type app.ai_settlement as (
      owner integer, id uuid, input integer, write_5m integer, write_1h integer, read integer, output integer,
      upstream_id text, streamed boolean, reply_secrets_key text, reply bytea)`);
  await runner.query(`
    create type app.ai_settlement_result as (
      place integer, outcome text, charged numeric, uncovered numeric, late boolean, remaining numeric)`);
  // Rows that the functions decide on, in types of their own: a column that a migration adds to their tables does not change them.
  await runner.query(`
    create type app.ai_new_reservation as (
      customer_id uuid, id uuid, amount numeric, model text, price_valid_from timestamptz, input_tokens_bound integer,
      max_tokens integer, deadline timestamptz, month text, included_limit numeric, process_id uuid, request_id text,
      token_id uuid, key_hash bytea, created_at timestamptz)`);
  await runner.query(`
    create type app.ai_charged_call as (
      customer_id uuid, id uuid, provider text, model text, input_tokens integer, cache_write_5m_tokens integer,
      cache_write_1h_tokens integer, cache_read_tokens integer, output_tokens integer, cost numeric, uncovered numeric,
      paid_from_included numeric, paid_from_purchased numeric, price_valid_from timestamptz, request_id text,
      api_request_id text, token_id uuid, streamed boolean, created_at timestamptz)`);
  await runner.query(`
    create type app.ai_usage_booking as (
      customer_id uuid, id uuid, sequence bigint, kind text, bucket text, amount numeric, balance_after numeric, month text,
      usage_id uuid, actor text, created_at timestamptz)`);
  await runner.query(
    `create type app.ai_release_request as (owner integer, id uuid, seed uuid, outcome text, reason text)`,
  );
}
