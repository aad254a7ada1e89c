import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, secureCustomerTable } from './helpers';

/** What the upstream reported for a call, and what it cost. `uncovered` is the part no credit was left for. */
export class AiUsage1763683330000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ai_usage (
        customer_id uuid not null,
        id uuid not null,
        hold_id uuid not null,
        provider text not null,
        model text not null,
        input_tokens integer not null,
        cache_write_5m_tokens integer not null,
        cache_write_1h_tokens integer not null,
        cache_read_tokens integer not null,
        output_tokens integer not null,
        cost numeric(24,12) not null,
        uncovered numeric(24,12) not null default 0,
        currency text not null default 'NOK',
        request_id text,
        created_at timestamptz not null,
        constraint ai_usage_pk primary key (customer_id, id),
        constraint ai_usage_hold_key unique (customer_id, hold_id),
        constraint ai_usage_hold_fk foreign key (customer_id, hold_id) references ai_hold (customer_id, id)
      )`);
    await runner.query(`create index ai_usage_newest_idx on ai_usage (customer_id, created_at desc, id desc)`);
    await distribute(runner, 'ai_usage');
    await secureCustomerTable(runner, 'ai_usage', { apiMay: 'select, insert' });
    await runner.query(`revoke update, delete on ai_usage from account_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ai_usage`);
  }
}
