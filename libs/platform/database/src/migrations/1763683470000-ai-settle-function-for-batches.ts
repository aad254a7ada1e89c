import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction, LOOK_UP_BY_KEY } from './helpers';

const SETTLE =
  'app.ai_settle(uuid[], text, timestamptz, text, integer[], uuid[], integer[], integer[], integer[], integer[], integer[], text[])';

/**
 * Charges many calls of many customers: usage row, ledger entries (included credit first, then purchased), hold gone,
 * balances. The usage row has the hold's id and takes its place, so naming a hold again changes nothing and tells how it
 * ended. A call that cost more than its hold is charged the rest too as far as free credit reaches; what it does not
 * reach is recorded as uncovered, never charged.
 */
export class AiSettleFunctionForBatches1763683470000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // p_owner is the place of each call's customer in p_customers. A call without a row in the answer has no hold.
    await runner.query(`
      create function app.ai_settle(
        p_customers uuid[], p_month text, p_now timestamptz, p_provider text, p_owner integer[], p_holds uuid[],
        p_input integer[], p_write_5m integer[], p_write_1h integer[], p_read integer[], p_output integer[],
        p_upstream_ids text[])
      returns table (place integer, outcome text)
      language plpgsql ${LOOK_UP_BY_KEY} as $$
      declare
        scope text;
        acc record;
        call record;
        owner integer;
        charge numeric;
        part numeric;
        months text[] := '{}';
        includeds numeric[] := '{}';
        purchaseds numeric[] := '{}';
        helds numeric[] := '{}';
        usages numeric[] := '{}';
        sequences bigint[] := '{}';
        places integer[] := '{}';
        tids tid[] := '{}';
        models text[] := '{}';
        request_ids text[] := '{}';
        token_ids uuid[] := '{}';
        costs numeric[] := '{}';
        uncovered numeric[] := '{}';
        entry_places integer[] := '{}';
        entry_sequences bigint[] := '{}';
        entry_buckets text[] := '{}';
        entry_amounts numeric[] := '{}';
        entry_balances numeric[] := '{}';
      begin
        scope := app.set_customers(p_customers);
        for acc in
          select c.place, c.customer, a.month, a.included, a.purchased, a.held, a.month_usage, a.ledger_sequence
          from unnest(p_customers) with ordinality as c (customer, place)
          join ai_account a on a.customer_id = c.customer
          order by c.place
          for no key update of a
        loop
          if acc.month < p_month then
            perform app.ai_roll_over(acc.customer, p_month, p_now);
            select acc.place, acc.customer, a.month, a.included, a.purchased, a.held, a.month_usage, a.ledger_sequence into acc
            from ai_account a where a.customer_id = acc.customer;
          end if;
          months[acc.place] := acc.month;
          includeds[acc.place] := acc.included;
          purchaseds[acc.place] := acc.purchased;
          helds[acc.place] := acc.held;
          usages[acc.place] := acc.month_usage;
          sequences[acc.place] := acc.ledger_sequence;
        end loop;

        -- A statement of its own, so that it sees what was done to the holds while the locks were waited for.
        for call in
          select u.place, u.owner, h.*,
                 (u.input * h.input + u.write_5m * h.cache_write_5m + u.write_1h * h.cache_write_1h
                   + u.read * h.cache_read + u.output * h.output) * 0.000001 as cost
          from unnest(p_owner, p_holds, p_input, p_write_5m, p_write_1h, p_read, p_output) with ordinality
            as u (owner, hold_id, input, write_5m, write_1h, read, output, place)
          -- OFFSET 0 keeps the planner from turning the look-up around, into reading all holds.
          cross join lateral (
            select h.ctid as tid, h.state, h.amount, h.model, h.request_id, h.token_id,
                   p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output
            from ai_hold h
            join ai_model_price p on p.model = h.model and p.valid_from = h.price_valid_from
            where h.customer_id = p_customers[u.owner] and h.id = u.hold_id
            offset 0) h
        loop
          place := call.place;
          outcome := call.state;
          if call.state = 'pending' then
            outcome := 'settled';
            owner := call.owner;
            helds[owner] := helds[owner] - call.amount;
            charge := least(call.cost, includeds[owner] + purchaseds[owner] - helds[owner]);
            usages[owner] := usages[owner] + charge;
            places := places || place;
            tids := tids || call.tid;
            models := models || call.model;
            request_ids := request_ids || call.request_id;
            token_ids := token_ids || call.token_id;
            costs := costs || call.cost;
            uncovered := uncovered || (call.cost - charge);
            part := least(charge, includeds[owner]);
            -- A call that cost nothing leaves an entry all the same.
            if part > 0 or charge = 0 then
              includeds[owner] := includeds[owner] - part;
              sequences[owner] := sequences[owner] + 1;
              entry_places := entry_places || place;
              entry_sequences := entry_sequences || sequences[owner];
              entry_buckets := entry_buckets || 'included'::text;
              entry_amounts := entry_amounts || -part;
              entry_balances := entry_balances || includeds[owner];
            end if;
            part := charge - part;
            if part > 0 then
              purchaseds[owner] := purchaseds[owner] - part;
              sequences[owner] := sequences[owner] + 1;
              entry_places := entry_places || place;
              entry_sequences := entry_sequences || sequences[owner];
              entry_buckets := entry_buckets || 'purchased'::text;
              entry_amounts := entry_amounts || -part;
              entry_balances := entry_balances || purchaseds[owner];
            end if;
          end if;
          return next;
        end loop;

        if cardinality(places) > 0 then
          with gone as (
            delete from ai_hold where ctid = any (tids)),
          used as (
            insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
                                  cache_read_tokens, output_tokens, cost, uncovered, request_id, api_request_id, token_id, created_at)
            select p_customers[p_owner[u.place]], p_holds[u.place], p_provider, u.model, p_input[u.place], p_write_5m[u.place],
                   p_write_1h[u.place], p_read[u.place], p_output[u.place], u.cost, u.uncovered, p_upstream_ids[u.place],
                   u.request_id, u.token_id, p_now
            from unnest(places, models, costs, uncovered, request_ids, token_ids)
              as u (place, model, cost, uncovered, request_id, token_id)),
          booked as (
            insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor, created_at)
            select p_customers[p_owner[e.place]], e.sequence, 'usage', e.bucket, e.amount, e.balance, months[p_owner[e.place]],
                   p_holds[e.place], 'system', p_now
            from unnest(entry_places, entry_sequences, entry_buckets, entry_amounts, entry_balances)
              as e (place, sequence, bucket, amount, balance))
          update ai_account a
          set included = s.included, purchased = s.purchased, held = s.held, month_usage = s.month_usage, ledger_sequence = s.sequence
          from unnest(p_customers, includeds, purchaseds, helds, usages, sequences)
            as s (customer, included, purchased, held, month_usage, sequence)
          where a.customer_id = s.customer and a.ledger_sequence <> s.sequence;
        end if;
        if cardinality(places) < cardinality(p_holds) then
          return query
          select c.place::integer, 'settled'
          from unnest(p_holds, p_owner) with ordinality as c (id, owner, place)
          join ai_usage u on u.customer_id = p_customers[c.owner] and u.id = c.id
          where c.place <> all (places);
        end if;
      end $$`);
    await exposeFunction(runner, SETTLE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${SETTLE}`);
  }
}
