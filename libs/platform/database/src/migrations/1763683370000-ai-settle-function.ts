import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction, LOOK_UP_BY_KEY } from './helpers';

const SETTLE =
  'app.ai_settle(uuid, text, timestamptz, text, uuid[], uuid[], integer[], integer[], integer[], integer[], integer[], text[])';

/**
 * Charges several calls of one customer: usage row, ledger entries (included credit first, then purchased), hold
 * resolved, balances. Naming a hold again changes nothing and tells how it ended. A call that cost more than its hold is
 * charged the rest too as far as free credit reaches; what it does not reach is recorded as uncovered, never charged.
 */
export class AiSettleFunction1763683370000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function app.ai_settle(
        p_customer uuid, p_month text, p_now timestamptz, p_provider text,
        p_holds uuid[], p_usage_ids uuid[], p_input integer[], p_write_5m integer[], p_write_1h integer[],
        p_read integer[], p_output integer[], p_upstream_ids text[])
      returns table (id uuid, outcome text)
      language plpgsql ${LOOK_UP_BY_KEY} as $$
      declare
        acc record;
        call record;
        usages uuid[] := '{}';
        models text[] := '{}';
        places integer[] := '{}';
        costs numeric[] := '{}';
        uncovered numeric[] := '{}';
        settled uuid[] := '{}';
        entry_holds uuid[] := '{}';
        entry_buckets text[] := '{}';
        entry_amounts numeric[] := '{}';
        entry_balances numeric[] := '{}';
        charge numeric;
        part numeric;
      begin
        perform app.set_customer(p_customer);
        select a.month, a.included, a.purchased, a.held, a.month_usage, a.ledger_sequence into acc
        from ai_account a where a.customer_id = p_customer for no key update;
        if acc.month < p_month then
          perform app.ai_roll_over(p_customer, p_month, p_now);
          select a.month, a.included, a.purchased, a.held, a.month_usage, a.ledger_sequence into acc
          from ai_account a where a.customer_id = p_customer;
        end if;

        for call in
          select h.*, u.place, u.usage_id,
                 (u.input * h.input + u.write_5m * h.cache_write_5m + u.write_1h * h.cache_write_1h
                   + u.read * h.cache_read + u.output * h.output) * 0.000001 as cost
          from unnest(p_holds, p_usage_ids, p_input, p_write_5m, p_write_1h, p_read, p_output) with ordinality
            as u (hold_id, usage_id, input, write_5m, write_1h, read, output, place)
          -- OFFSET 0 keeps the planner from turning the look-up around, into reading all holds of the customer.
          cross join lateral (
            select h.id, h.state, h.amount, h.model, p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output
            from ai_hold h
            join ai_model_price p on p.model = h.model and p.valid_from = h.price_valid_from
            where h.customer_id = p_customer and h.id = u.hold_id
            offset 0) h
        loop
          -- Decided here and not in the query, which would be tempted to read the index of all pending holds.
          continue when call.state <> 'pending';
          acc.held := acc.held - call.amount;
          charge := least(call.cost, acc.included + acc.purchased - acc.held);
          settled := settled || call.id;
          usages := usages || call.usage_id;
          models := models || call.model;
          places := places || call.place::integer;
          costs := costs || call.cost;
          uncovered := uncovered || (call.cost - charge);
          acc.month_usage := acc.month_usage + charge;
          part := least(charge, acc.included);
          -- A call that cost nothing leaves an entry all the same.
          if part > 0 or charge = 0 then
            acc.included := acc.included - part;
            entry_holds := entry_holds || call.id;
            entry_buckets := entry_buckets || 'included'::text;
            entry_amounts := entry_amounts || -part;
            entry_balances := entry_balances || acc.included;
          end if;
          part := charge - part;
          if part > 0 then
            acc.purchased := acc.purchased - part;
            entry_holds := entry_holds || call.id;
            entry_buckets := entry_buckets || 'purchased'::text;
            entry_amounts := entry_amounts || -part;
            entry_balances := entry_balances || acc.purchased;
          end if;
        end loop;

        if cardinality(settled) > 0 then
          update ai_hold h set state = 'settled', resolved_at = p_now
          where h.customer_id = p_customer and h.id = any (settled);
          insert into ai_usage (customer_id, id, hold_id, provider, model, input_tokens, cache_write_5m_tokens,
                                cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, request_id, created_at)
          select p_customer, s.usage_id, s.hold_id, p_provider, s.model, p_input[s.place], p_write_5m[s.place],
                 p_write_1h[s.place], p_read[s.place], p_output[s.place], s.cost, s.uncovered, p_upstream_ids[s.place], p_now
          from unnest(settled, usages, models, places, costs, uncovered)
            as s (hold_id, usage_id, model, place, cost, uncovered);
          insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, hold_id, actor, created_at)
          select p_customer, acc.ledger_sequence + e.place, 'usage', e.bucket, e.amount, e.balance, acc.month, e.hold_id,
                 'system', p_now
          from unnest(entry_holds, entry_buckets, entry_amounts, entry_balances) with ordinality
            as e (hold_id, bucket, amount, balance, place);
          update ai_account
          set included = acc.included, purchased = acc.purchased, held = acc.held, month_usage = acc.month_usage,
              ledger_sequence = acc.ledger_sequence + cardinality(entry_holds)
          where customer_id = p_customer;
        end if;
        if cardinality(settled) = cardinality(p_holds) then
          return query select u.id, 'settled' from unnest(settled) as u (id);
          return;
        end if;
        return query select h.id, h.state from ai_hold h where h.customer_id = p_customer and h.id = any (p_holds);
      end $$`);
    await exposeFunction(runner, SETTLE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${SETTLE}`);
  }
}
