import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction, LOOK_UP_BY_KEY } from './helpers';

const HOLD =
  'app.ai_hold(uuid[], text, timestamptz, timestamptz, boolean, integer[], integer[], uuid[], integer[], text[], integer[], integer[], boolean[], text[], uuid[])';
const RELEASE = 'app.ai_release(uuid[], timestamptz, integer[], uuid[], text[])';

/**
 * Setting credit aside and letting it go, for many calls of many customers at a time: what a statement costs is paid once
 * for all of them. Every function locks the accounts first, in the order given, so that they follow one another and never
 * deadlock; a caller gives the customers sorted. Rates are multiplied by 0.000001, never divided by a million: division rounds.
 */
export class AiHoldFunctionsForBatches1763683460000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Calls of one customer stand together: p_first and p_last are each customer's first and last. A call without a row in
    // the answer belongs to a customer without an account.
    await runner.query(`
      create function app.ai_hold(
        p_customers uuid[], p_month text, p_now timestamptz, p_deadline timestamptz, p_shared_key boolean,
        p_first integer[], p_last integer[],
        p_ids uuid[], p_input_tokens integer[], p_cache text[], p_max_tokens integer[], p_least_tokens integer[],
        p_may_shorten boolean[], p_request_ids text[], p_token_ids uuid[])
      returns table (place integer, outcome text, model text, key_ciphertext bytea, max_tokens integer)
      language plpgsql ${LOOK_UP_BY_KEY} as $$
      #variable_conflict use_column
      declare
        scope text;
        acc record;
        free numeric;
        reserved numeric;
        wanted numeric;
        input_cost numeric;
        places integer[] := '{}';
        owners uuid[] := '{}';
        models text[] := '{}';
        prices timestamptz[] := '{}';
        amounts numeric[] := '{}';
        granted integer[] := '{}';
        changed uuid[] := '{}';
        changes numeric[] := '{}';
      begin
        scope := app.set_customers(p_customers);
        for acc in
          select c.customer, c.first, c.last, a.month, a.included + a.purchased - a.held as free,
                 s.monthly_limit - a.month_usage - a.held as free_in_month, s.monthly_limit, s.enabled, s.model, s.key_ciphertext,
                 p.valid_from, p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output
          from unnest(p_customers, p_first, p_last) with ordinality as c (customer, first, last, place)
          join ai_account a on a.customer_id = c.customer
          left join ai_settings s on s.customer_id = c.customer
          left join lateral (
            select m.valid_from, m.input, m.cache_write_5m, m.cache_write_1h, m.cache_read, m.output
            from ai_model_price m where m.model = s.model and m.valid_from <= p_now order by m.valid_from desc limit 1) p on true
          order by c.place
          for no key update of a
        loop
          model := acc.model;
          key_ciphertext := acc.key_ciphertext;
          max_tokens := 0;
          outcome := case
            when acc.enabled is not true then 'disabled'
            when acc.valid_from is null or (acc.key_ciphertext is null and not p_shared_key) then 'not_configured'
          end;
          if outcome is not null then
            for i in acc.first .. acc.last loop
              place := i;
              return next;
            end loop;
            continue;
          end if;

          if acc.month < p_month then
            perform app.ai_roll_over(acc.customer, p_month, p_now);
            select a.included + a.purchased - a.held, acc.monthly_limit - a.month_usage - a.held
            into acc.free, acc.free_in_month
            from ai_account a where a.customer_id = acc.customer;
          end if;
          free := least(acc.free, acc.free_in_month);
          reserved := 0;
          for i in acc.first .. acc.last loop
            place := i;
            input_cost := p_input_tokens[i] * 0.000001 * case p_cache[i]
              when '1h' then greatest(acc.input, acc.cache_read, acc.cache_write_5m, acc.cache_write_1h)
              when '5m' then greatest(acc.input, acc.cache_read, acc.cache_write_5m)
              else greatest(acc.input, acc.cache_read) end;
            wanted := p_max_tokens[i];
            if input_cost + wanted * acc.output * 0.000001 > free then
              -- As many as the credit buys. The quotient may be rounded up, hence the step back.
              wanted := case when acc.output > 0 then trunc((free - input_cost) * 1000000 / acc.output) else -1 end;
              if wanted >= 0 and input_cost + wanted * acc.output * 0.000001 > free then
                wanted := wanted - 1;
              end if;
            end if;
            if wanted < p_max_tokens[i] and not p_may_shorten[i] and free > 0
               and p_least_tokens[i] * acc.output * 0.000001 <= free then
              -- A closer look at the input may show that there is credit enough.
              outcome := 'too_large';
              max_tokens := 0;
            elsif wanted < p_least_tokens[i] then
              outcome := 'exhausted';
              max_tokens := 0;
            else
              outcome := 'held';
              max_tokens := wanted;
              input_cost := input_cost + wanted * acc.output * 0.000001;
              free := free - input_cost;
              reserved := reserved + input_cost;
              places := places || i;
              owners := owners || acc.customer;
              models := models || acc.model;
              prices := prices || acc.valid_from;
              amounts := amounts || input_cost;
              granted := granted || max_tokens;
            end if;
            return next;
          end loop;
          if reserved > 0 then
            changed := changed || acc.customer;
            changes := changes || reserved;
          end if;
        end loop;

        if cardinality(places) > 0 then
          with held as (
            insert into ai_hold (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
                                 request_id, token_id, created_at)
            select u.customer, p_ids[u.place], u.amount, u.model, u.valid_from, p_input_tokens[u.place], u.max_tokens, p_deadline,
                   p_request_ids[u.place], p_token_ids[u.place], p_now
            from unnest(owners, places, amounts, models, prices, granted)
              as u (customer, place, amount, model, valid_from, max_tokens))
          update ai_account a set held = a.held + u.amount
          from unnest(changed, changes) as u (customer, amount)
          where a.customer_id = u.customer;
        end if;
      end $$`);
    await exposeFunction(runner, HOLD);

    // p_owner is the place of each call's customer in p_customers. A call without a row in the answer has no hold.
    await runner.query(`
      create function app.ai_release(p_customers uuid[], p_now timestamptz, p_owner integer[], p_ids uuid[], p_reasons text[])
      returns table (place integer, outcome text)
      language plpgsql ${LOOK_UP_BY_KEY} as $$
      declare
        scope text;
        call record;
        places integer[] := '{}';
        tids tid[] := '{}';
        owners uuid[] := '{}';
        amounts numeric[] := '{}';
      begin
        scope := app.set_customers(p_customers);
        perform from unnest(p_customers) with ordinality as c (customer, place)
        join ai_account a on a.customer_id = c.customer order by c.place for no key update of a;
        for call in
          select c.place, h.*
          from unnest(p_ids, p_owner) with ordinality as c (id, owner, place)
          cross join lateral (
            select h.customer_id, h.ctid as tid, h.state, h.amount
            from ai_hold h where h.customer_id = p_customers[c.owner] and h.id = c.id
            offset 0) h
        loop
          place := call.place;
          outcome := call.state;
          if call.state = 'pending' then
            outcome := 'released';
            -- Said twice in one batch, it is let go once.
            if call.tid <> all (tids) then
              places := places || place;
              tids := tids || call.tid;
              owners := owners || call.customer_id;
              amounts := amounts || call.amount;
            end if;
          end if;
          return next;
        end loop;
        if cardinality(places) > 0 then
          with gone as (
            update ai_hold h set state = 'released', reason = p_reasons[u.place], resolved_at = p_now
            from unnest(tids, places) as u (tid, place)
            where h.ctid = u.tid)
          update ai_account a set held = a.held - f.amount
          from (select u.customer, sum(u.amount) as amount from unnest(owners, amounts) as u (customer, amount) group by u.customer) f
          where a.customer_id = f.customer;
        end if;
      end $$`);
    await exposeFunction(runner, RELEASE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${RELEASE}`);
    await runner.query(`drop function ${HOLD}`);
  }
}
