import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replicate } from './helpers';

/**
 * What a model costs, in NOK per million tokens, from when. Rows are only added: a call is charged by the row that was
 * valid when it began. Six decimals, so that tokens × rate / 1,000,000 is exact in twelve.
 */
export class AiModelPrice1763683300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
    await replicate(runner, 'ai_model_price');
    await runner.query(`grant select on ai_model_price to customer_api`);
    await runner.query(`grant select, insert on ai_model_price to account_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ai_model_price`);
  }
}
