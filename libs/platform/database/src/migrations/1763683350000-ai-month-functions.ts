import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';

/**
 * The turn of the month. Whoever comes first rolls the account over, under the account's row lock; all others find it
 * done. Credit set aside for calls in flight does not expire with the month: what they leave of it stays.
 */
export class AiMonthFunctions1763683350000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A config that holds something else than a sensible number must not stop the customer's calls.
    await runner.query(`
      create function app.ai_included_credit(p_customer uuid) returns numeric language sql stable as $$
        select coalesce(sum(least(greatest((config ->> 'monthly_included_nok')::numeric, 0), 1000000000)), 0)::numeric(24,12)
        from customer_service
        where customer_id = p_customer and type = 'ai' and status = 'active'
          and jsonb_typeof(config -> 'monthly_included_nok') = 'number'
      $$`);
    await exposeFunction(runner, 'app.ai_included_credit(uuid)');

    await runner.query(`
      create function app.ai_roll_over(p_customer uuid, p_month text, p_now timestamptz) returns boolean
      language plpgsql as $$
      declare
        acc ai_account;
        expired numeric;
        granted numeric;
        turned_on boolean;
      begin
        perform app.set_customer(p_customer);
        select * into acc from ai_account where customer_id = p_customer for no key update;
        if not found or acc.month >= p_month then
          return false;
        end if;
        select enabled into turned_on from ai_settings where customer_id = p_customer;
        granted := case when turned_on then app.ai_included_credit(p_customer) else 0 end;
        expired := greatest(0, acc.included - acc.held);
        if expired > 0 then
          acc.ledger_sequence := acc.ledger_sequence + 1;
          acc.included := acc.included - expired;
          insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
          values (p_customer, acc.ledger_sequence, 'expiry', 'included', -expired, acc.included, acc.month, 'system', p_now);
        end if;
        if granted > 0 then
          acc.ledger_sequence := acc.ledger_sequence + 1;
          acc.included := acc.included + granted;
          insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
          values (p_customer, acc.ledger_sequence, 'monthly_included', 'included', granted, acc.included, p_month, 'system', p_now);
        end if;
        update ai_account
        set month = p_month, month_granted = granted, month_usage = 0,
            included = acc.included, ledger_sequence = acc.ledger_sequence
        where customer_id = p_customer;
        return true;
      end $$`);
    await exposeFunction(runner, 'app.ai_roll_over(uuid, text, timestamptz)');

    // The operator raised the included credit, or turned AI on, within a month: the difference comes at once.
    await runner.query(`
      create function app.ai_grant_difference(p_customer uuid, p_month text, p_now timestamptz, p_actor text) returns numeric
      language plpgsql as $$
      declare
        acc ai_account;
        difference numeric;
      begin
        perform app.set_customer(p_customer);
        insert into ai_account (customer_id) values (p_customer) on conflict do nothing;
        perform app.ai_roll_over(p_customer, p_month, p_now);
        select * into acc from ai_account where customer_id = p_customer for no key update;
        difference := app.ai_included_credit(p_customer) - acc.month_granted;
        if difference <= 0 or not exists (select from ai_settings where customer_id = p_customer and enabled) then
          return 0;
        end if;
        insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
        values (p_customer, acc.ledger_sequence + 1, 'monthly_included', 'included', difference, acc.included + difference,
                acc.month, p_actor, p_now);
        update ai_account
        set included = acc.included + difference, month_granted = acc.month_granted + difference,
            ledger_sequence = acc.ledger_sequence + 1
        where customer_id = p_customer;
        return difference;
      end $$`);
    await exposeFunction(runner, 'app.ai_grant_difference(uuid, text, timestamptz, text)', ['account_operator']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function app.ai_grant_difference(uuid, text, timestamptz, text)`);
    await runner.query(`drop function app.ai_roll_over(uuid, text, timestamptz)`);
    await runner.query(`drop function app.ai_included_credit(uuid)`);
  }
}
