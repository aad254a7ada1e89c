-- Phase one of a call. Reserves the most that the call can cost, before the upstream is called.
--
-- A reservation is pending until it is resolved. It is resolved at most once:
--   settled          by ai_settle: the upstream answered; the cost is charged, the rest becomes free again
--   released         by ai_release: the upstream refused or failed; nothing is charged
--   outcome_unknown  by ai_release or ai_resolve_abandoned: nobody knows how the call ended; nothing is charged
-- Reserved credit stays on the account and cannot be reserved again: free credit is what the account may spend, less what its
-- pending reservations have reserved. It is never below zero.
--
-- Serves many calls of many customers, because what a statement costs is then paid once for all of them. The customers are
-- sorted, each once, so that two batches never deadlock on the accounts' locks. The calls of one customer stand together,
-- from p_first to p_last. A call without a row in the answer belongs to a customer without an account.
--
-- outcome: reserved
--          disabled, not_configured: the operator's decisions
--          too_large: the credit may do for a closer input bound, or for fewer output tokens (only without may_shorten)
--          over_limit: the operator's total limit of the month leaves less than the least answer needs, whatever the credit
--          in_progress: the credit would cover the least answer, had calls in progress not reserved it
--          exhausted: it would not
create function app.ai_reserve(
  p_customers uuid[], p_first integer[], p_last integer[], p_calls app.ai_reservation_request[],
  p_time_zone text, p_lifetime interval, p_not_after timestamptz, p_shared_key boolean, p_process uuid)
returns table (place integer, outcome text, model text, key_ciphertext bytea, max_tokens integer)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
-- Rows are only ever looked up by key. Plans are made when the function first runs and kept: made on tables that are
-- still small, they would read the whole table and go on doing so when it has grown.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  moment timestamptz := app.now();
  present_month text := app.billing_month(moment, p_time_zone);
  acc record;
  spendable numeric;
  free numeric;
  newly_reserved numeric;
  wanted numeric;
  cost numeric;
  least_cost numeric;
  looked_for_abandoned boolean;
  places integer[] := '{}';
  owners uuid[] := '{}';
  models text[] := '{}';
  prices timestamptz[] := '{}';
  months text[] := '{}';
  limits numeric[] := '{}';
  amounts numeric[] := '{}';
  granted integer[] := '{}';
  changed uuid[] := '{}';
  changes numeric[] := '{}';
begin
  -- A database that was stopped for a while runs what it had received when it goes on; by then nobody waits for it.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  for acc in
    select c.customer, c.first, c.last, a.month, a.included, a.purchased, a.reserved, a.month_usage, a.month_included_usage,
           s.monthly_limit, s.total_limit, s.enabled, s.model, s.key_ciphertext,
           p.valid_from, p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output
    from unnest(p_customers, p_first, p_last) with ordinality as c (customer, first, last, place)
    join ai_account a on a.customer_id = c.customer
    left join ai_settings s on s.customer_id = c.customer
    left join lateral (
      select m.valid_from, m.input, m.cache_write_5m, m.cache_write_1h, m.cache_read, m.output
      from ai_model_price m where m.model = s.model and m.valid_from <= moment order by m.valid_from desc limit 1) p on true
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

    if acc.month < present_month then
      perform app.ai_roll_over(acc.customer, present_month, moment);
      select a.month, a.included, a.reserved, a.month_usage, a.month_included_usage
      into acc.month, acc.included, acc.reserved, acc.month_usage, acc.month_included_usage
      from ai_account a where a.customer_id = acc.customer;
    end if;
    -- The total limit caps all that is used in the month. A limit that is null is none.
    spendable := app.ai_spendable(acc.included, acc.monthly_limit - acc.month_included_usage, acc.purchased);
    free := least(spendable, acc.total_limit - acc.month_usage) - acc.reserved;
    newly_reserved := 0;
    looked_for_abandoned := false;
    for i in acc.first .. acc.last loop
      place := i;
      -- A rate is multiplied by 0.000001, never divided by a million: division rounds.
      cost := p_calls[i].input_tokens * 0.000001 * case p_calls[i].cache
        when '1h' then greatest(acc.input, acc.cache_read, acc.cache_write_5m, acc.cache_write_1h)
        when '5m' then greatest(acc.input, acc.cache_read, acc.cache_write_5m)
        else greatest(acc.input, acc.cache_read) end;
      -- Without may_shorten the input bound is a coarse one, and says nothing yet about what the call needs at least.
      least_cost := p_calls[i].least_tokens * acc.output * 0.000001 + case when p_calls[i].may_shorten then cost else 0 end;
      if not looked_for_abandoned and acc.reserved > 0 and cost + p_calls[i].max_tokens * acc.output * 0.000001 > free then
        -- Calls whose process died may have reserved it, and the worker may be down, too.
        looked_for_abandoned := true;
        if app.ai_resolve_abandoned(acc.customer) > 0 then
          select a.included, a.reserved into acc.included, acc.reserved from ai_account a where a.customer_id = acc.customer;
          spendable := app.ai_spendable(acc.included, acc.monthly_limit - acc.month_included_usage, acc.purchased);
          free := least(spendable, acc.total_limit - acc.month_usage) - acc.reserved - newly_reserved;
        end if;
      end if;
      wanted := p_calls[i].max_tokens;
      if cost + wanted * acc.output * 0.000001 > free then
        -- As many as the credit buys. The quotient may be rounded up, hence the step back.
        wanted := case when acc.output > 0 then trunc((free - cost) * 1000000 / acc.output) else -1 end;
        if wanted >= 0 and cost + wanted * acc.output * 0.000001 > free then
          wanted := wanted - 1;
        end if;
      end if;
      if wanted < p_calls[i].max_tokens and not p_calls[i].may_shorten and free > 0 and least_cost <= free then
        outcome := 'too_large';
        max_tokens := 0;
      elsif wanted < p_calls[i].least_tokens then
        outcome := case
          when least_cost > acc.total_limit - acc.month_usage then 'over_limit'
          when least_cost <= spendable and acc.reserved + newly_reserved > 0 then 'in_progress'
          else 'exhausted'
        end;
        max_tokens := 0;
      else
        outcome := 'reserved';
        max_tokens := wanted;
        cost := cost + wanted * acc.output * 0.000001;
        free := free - cost;
        newly_reserved := newly_reserved + cost;
        places := places || i;
        owners := owners || acc.customer;
        models := models || acc.model;
        prices := prices || acc.valid_from;
        months := months || acc.month;
        limits := limits || acc.monthly_limit;
        amounts := amounts || cost;
        granted := granted || max_tokens;
      end if;
      return next;
    end loop;
    if newly_reserved > 0 then
      changed := changed || acc.customer;
      changes := changes || newly_reserved;
    end if;
  end loop;

  if cardinality(places) > 0 then
    -- A process that was stopped, or whose heartbeats are lost, lives if it reserves: what it reserves must not look abandoned.
    if app.process_is_gone(p_process) then
      perform app.process_heartbeat(p_process);
    end if;
    with reservations as (
      insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
                           month, included_limit, process_id, request_id, token_id, created_at)
      select u.customer, (p_calls[u.place]).id, u.amount, u.model, u.valid_from, (p_calls[u.place]).input_tokens, u.max_tokens,
             moment + p_lifetime, u.month, u.included_limit, p_process, (p_calls[u.place]).request_id, (p_calls[u.place]).token_id, moment
      from unnest(owners, places, amounts, models, prices, granted, months, limits)
        as u (customer, place, amount, model, valid_from, max_tokens, month, included_limit))
    update ai_account a set reserved = a.reserved + u.amount
    from unnest(changed, changes) as u (customer, amount)
    where a.customer_id = u.customer;
  end if;
end $$
