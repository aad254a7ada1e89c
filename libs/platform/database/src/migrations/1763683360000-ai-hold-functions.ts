import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction, LOOK_UP_BY_KEY } from './helpers';

const HOLD =
  'app.ai_hold(uuid, text, timestamptz, timestamptz, boolean, uuid[], integer[], text[], integer[], integer[], boolean[], text[], uuid[])';
const RELEASE = 'app.ai_release(uuid, timestamptz, uuid[], text[])';
const RESOLVE_STALE = 'app.ai_resolve_stale(uuid, timestamptz)';

/**
 * Setting credit aside and letting it go, for several calls of one customer at a time. Every function locks the account
 * first, so that they follow one another. Rates are multiplied by 0.000001, never divided by a million: division rounds.
 */
export class AiHoldFunctions1763683360000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function app.ai_hold(
        p_customer uuid, p_month text, p_now timestamptz, p_deadline timestamptz, p_shared_key boolean,
        p_ids uuid[], p_input_tokens integer[], p_cache text[], p_max_tokens integer[], p_least_tokens integer[],
        p_may_shorten boolean[], p_request_ids text[], p_token_ids uuid[])
      returns table (id uuid, outcome text, model text, key_ciphertext bytea, max_tokens integer)
      language plpgsql ${LOOK_UP_BY_KEY} as $$
      #variable_conflict use_column
      declare
        acc record;
        settings record;
        price record;
        free numeric;
        reserved numeric := 0;
        wanted numeric;
        input_cost numeric;
        outcomes text[] := '{}';
        amounts numeric[] := '{}';
        granted integer[] := '{}';
        refusal text;
      begin
        perform app.set_customer(p_customer);
        select a.month, a.included, a.purchased, a.held, a.month_usage into acc
        from ai_account a where a.customer_id = p_customer for no key update;
        select s.enabled, s.model, s.key_ciphertext, s.monthly_limit into settings
        from ai_settings s where s.customer_id = p_customer;
        select p.valid_from, p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output into price
        from ai_model_price p where p.model = settings.model and p.valid_from <= p_now order by p.valid_from desc limit 1;

        refusal := case
          when acc.month is null or settings.enabled is not true then 'disabled'
          when price.valid_from is null or (settings.key_ciphertext is null and not p_shared_key) then 'not_configured'
        end;
        if refusal is not null then
          return query select u.id, refusal, null::text, null::bytea, 0 from unnest(p_ids) as u (id);
          return;
        end if;

        if acc.month < p_month then
          perform app.ai_roll_over(p_customer, p_month, p_now);
          select a.included, a.purchased, a.held, a.month_usage into acc.included, acc.purchased, acc.held, acc.month_usage
          from ai_account a where a.customer_id = p_customer;
        end if;
        free := acc.included + acc.purchased - acc.held;
        if settings.monthly_limit is not null then
          free := least(free, settings.monthly_limit - acc.month_usage - acc.held);
        end if;

        for i in 1 .. cardinality(p_ids) loop
          input_cost := p_input_tokens[i] * 0.000001 * case p_cache[i]
            when '1h' then greatest(price.input, price.cache_read, price.cache_write_5m, price.cache_write_1h)
            when '5m' then greatest(price.input, price.cache_read, price.cache_write_5m)
            else greatest(price.input, price.cache_read) end;
          wanted := p_max_tokens[i];
          if input_cost + wanted * price.output * 0.000001 > free then
            -- As many as the credit buys. The quotient may be rounded up, hence the step back.
            wanted := case when price.output > 0 then trunc((free - input_cost) * 1000000 / price.output) else -1 end;
            if wanted >= 0 and input_cost + wanted * price.output * 0.000001 > free then
              wanted := wanted - 1;
            end if;
          end if;
          if wanted < p_max_tokens[i] and not p_may_shorten[i] and free > 0 and p_least_tokens[i] * price.output * 0.000001 <= free then
            -- A closer look at the input may show that there is credit enough.
            outcomes[i] := 'too_large';
            granted[i] := 0;
            amounts[i] := 0;
          elsif wanted < p_least_tokens[i] then
            outcomes[i] := 'exhausted';
            granted[i] := 0;
            amounts[i] := 0;
          else
            outcomes[i] := 'held';
            granted[i] := wanted;
            amounts[i] := input_cost + wanted * price.output * 0.000001;
            free := free - amounts[i];
            reserved := reserved + amounts[i];
          end if;
        end loop;

        insert into ai_hold (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
                             request_id, token_id, created_at)
        select p_customer, u.id, u.amount, settings.model, price.valid_from, u.input_tokens, u.max_tokens, p_deadline,
               u.request_id, u.token_id, p_now
        from unnest(p_ids, outcomes, amounts, p_input_tokens, granted, p_request_ids, p_token_ids)
          as u (id, outcome, amount, input_tokens, max_tokens, request_id, token_id)
        where u.outcome = 'held';
        if reserved > 0 then
          update ai_account set held = acc.held + reserved where customer_id = p_customer;
        end if;
        return query select u.id, u.outcome, settings.model, settings.key_ciphertext, u.max_tokens
                     from unnest(p_ids, outcomes, granted) as u (id, outcome, max_tokens);
      end $$`);
    await exposeFunction(runner, HOLD);

    await runner.query(`
      create function app.ai_release(p_customer uuid, p_now timestamptz, p_ids uuid[], p_reasons text[])
      returns table (id uuid, outcome text)
      language plpgsql ${LOOK_UP_BY_KEY} as $$
      #variable_conflict use_column
      declare
        freed numeric;
        pending uuid[];
      begin
        perform app.set_customer(p_customer);
        perform from ai_account where customer_id = p_customer for no key update;
        select coalesce(sum(h.amount) filter (where h.state = 'pending'), 0), array_agg(h.id) filter (where h.state = 'pending')
        into freed, pending
        from ai_hold h where h.customer_id = p_customer and h.id = any (p_ids);
        update ai_hold h set state = 'released', reason = p_reasons[array_position(p_ids, h.id)], resolved_at = p_now
        where h.customer_id = p_customer and h.id = any (pending);
        if freed > 0 then
          update ai_account set held = held - freed where customer_id = p_customer;
        end if;
        return query select h.id, h.state from ai_hold h where h.customer_id = p_customer and h.id = any (p_ids);
      end $$`);
    await exposeFunction(runner, RELEASE);

    await runner.query(`
      create function app.ai_resolve_stale(p_customer uuid, p_now timestamptz) returns integer
      language plpgsql as $$
      declare
        freed numeric;
        resolved integer;
      begin
        perform app.set_customer(p_customer);
        perform from ai_account where customer_id = p_customer for no key update;
        select coalesce(sum(amount), 0), count(*) into freed, resolved
        from ai_hold where customer_id = p_customer and state = 'pending' and deadline < p_now;
        if resolved > 0 then
          update ai_hold set state = 'outcome_unknown', reason = 'deadline passed', resolved_at = p_now
          where customer_id = p_customer and state = 'pending' and deadline < p_now;
          update ai_account set held = held - freed where customer_id = p_customer;
        end if;
        return resolved;
      end $$`);
    await exposeFunction(runner, RESOLVE_STALE, ['account_operator']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${RESOLVE_STALE}`);
    await runner.query(`drop function ${RELEASE}`);
    await runner.query(`drop function ${HOLD}`);
  }
}
