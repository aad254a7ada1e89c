import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, secureCustomerTable } from './helpers';

/**
 * Credit set aside for a call, and how that ended ('settled', 'released', 'outcome_unknown'). A hold leaves 'pending' at
 * most once. The price it names is never removed; a foreign key would have all calls of a model queue for its row's lock.
 */
export class AiHold1763683320000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ai_hold (
        customer_id uuid not null,
        id uuid not null,
        state text not null default 'pending',
        amount numeric(24,12) not null,
        model text not null,
        price_valid_from timestamptz not null,
        input_tokens_bound integer not null,
        max_tokens integer not null,
        deadline timestamptz not null,
        request_id text,
        token_id uuid,
        reason text,
        created_at timestamptz not null,
        resolved_at timestamptz,
        constraint ai_hold_pk primary key (customer_id, id),
        constraint ai_hold_account_fk foreign key (customer_id) references ai_account (customer_id)
      )`);
    await runner.query(`create index ai_hold_stale_idx on ai_hold (deadline) where state = 'pending'`);
    await runner.query(
      `create index ai_hold_unknown_idx on ai_hold (customer_id, resolved_at desc) where state = 'outcome_unknown'`,
    );
    await distribute(runner, 'ai_hold');
    await secureCustomerTable(runner, 'ai_hold', { apiMay: 'select, insert, update' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ai_hold`);
  }
}
