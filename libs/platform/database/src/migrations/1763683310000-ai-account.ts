import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, secureCustomerTable } from './helpers';

/**
 * A customer's AI settings, and the balances, which are kept apart because they change with every call. The check that
 * nothing is ever below zero or promised twice is worth its price in every call; the other tables that a call writes
 * have none, since PostgreSQL reads a check's text anew in each statement: ten of them cost half as much as all the rest.
 * What they would say is kept by the functions, which alone write these tables, and looked over by `ai verify`.
 */
export class AiAccount1763683310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ai_settings (
        customer_id uuid not null,
        enabled boolean not null default false,
        model text,
        key_ciphertext bytea,
        monthly_limit numeric(24,12),
        updated_at timestamptz not null default now(),
        constraint ai_settings_pk primary key (customer_id),
        constraint ai_settings_customer_fk foreign key (customer_id) references customer (id),
        constraint ai_settings_monthly_limit_check check (monthly_limit >= 0)
      )`);
    await distribute(runner, 'ai_settings');
    await secureCustomerTable(runner, 'ai_settings', { apiMay: 'select' });

    // The month '0000-00' is before the first: the first roll-over grants without anything to expire.
    await runner.query(`
      create table ai_account (
        customer_id uuid not null,
        month text not null default '0000-00',
        month_granted numeric(24,12) not null default 0,
        month_usage numeric(24,12) not null default 0,
        included numeric(24,12) not null default 0,
        purchased numeric(24,12) not null default 0,
        held numeric(24,12) not null default 0,
        ledger_sequence bigint not null default 0,
        constraint ai_account_pk primary key (customer_id),
        constraint ai_account_customer_fk foreign key (customer_id) references customer (id),
        constraint ai_account_balance_check check (
          included >= 0 and purchased >= 0 and held >= 0 and held <= included + purchased)
      ) with (fillfactor = 50)`);
    await distribute(runner, 'ai_account');
    await secureCustomerTable(runner, 'ai_account', { apiMay: 'select, update' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ai_account`);
    await runner.query(`drop table ai_settings`);
  }
}
