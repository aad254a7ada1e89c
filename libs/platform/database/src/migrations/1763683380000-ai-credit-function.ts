import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';

const CREDIT = 'app.ai_credit(uuid, text, timestamptz, text, numeric, text, text, integer, uuid)';

/**
 * The operator's bookings. Credit given goes to the purchased bucket, which never expires. Credit taken comes from the
 * purchased bucket first, and never from what calls in flight have set aside.
 */
export class AiCreditFunction1763683380000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function app.ai_credit(
        p_customer uuid, p_month text, p_now timestamptz, p_kind text, p_amount numeric, p_note text, p_actor text,
        p_credit_request integer, p_invoice uuid)
      returns boolean
      language plpgsql as $$
      declare
        acc ai_account;
        part numeric;
        rest numeric := p_amount;
      begin
        perform app.set_customer(p_customer);
        insert into ai_account (customer_id) values (p_customer) on conflict do nothing;
        perform app.ai_roll_over(p_customer, p_month, p_now);
        select * into acc from ai_account where customer_id = p_customer for no key update;
        if acc.included + acc.purchased - acc.held + p_amount < 0 then
          return false;
        end if;
        part := greatest(rest, -acc.purchased);
        if part <> 0 then
          acc.ledger_sequence := acc.ledger_sequence + 1;
          acc.purchased := acc.purchased + part;
          insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, credit_request_id,
                                       invoice_id, note, actor, created_at)
          values (p_customer, acc.ledger_sequence, p_kind, 'purchased', part, acc.purchased, acc.month, p_credit_request,
                  p_invoice, p_note, p_actor, p_now);
        end if;
        rest := rest - part;
        if rest <> 0 then
          acc.ledger_sequence := acc.ledger_sequence + 1;
          acc.included := acc.included + rest;
          insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, note, actor, created_at)
          values (p_customer, acc.ledger_sequence, p_kind, 'included', rest, acc.included, acc.month, p_note, p_actor, p_now);
        end if;
        update ai_account
        set included = acc.included, purchased = acc.purchased, ledger_sequence = acc.ledger_sequence
        where customer_id = p_customer;
        return true;
      end $$`);
    await exposeFunction(runner, CREDIT, ['account_operator']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${CREDIT}`);
  }
}
