import type { QueryRunner } from 'typeorm';
import { secureCustomerTable } from '@platform/database';

/** What models cost, what the operator decided about a customer's use of AI, and what the customer has. */
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
  await runner.query(`grant select, insert on ai_model_price to account_operator`);

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
  // keep what they would say, and `ai verify` looks it over. For the same reason it is one comparison.
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
