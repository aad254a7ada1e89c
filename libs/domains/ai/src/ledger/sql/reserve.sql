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
--          key_taken: another call has the call's Idempotency-Key
create or replace function app.ai_reserve(
  p_customers uuid[], p_first integer[], p_last integer[], p_calls app.ai_reservation_request[],
  p_time_zone text, p_lifetime interval, p_not_after timestamptz, p_shared_key boolean, p_process uuid)
returns setof app.ai_reservation_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
-- Rows are only ever looked up by key. Plans are made when the function first runs and kept: made on tables that are
-- still small, they would read the whole table and go on doing so when it has grown.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moment timestamptz := app.now();
  present_month text := app.billing_month(moment, p_time_zone);
  acc record;
  call app.ai_reservation_request;
  reservation ai_reservation;
  reservations ai_reservation[] := '{}';
  result app.ai_reservation_result;
  spendable numeric;
  free numeric;
  newly_reserved numeric;
  cost numeric;
  least_cost numeric;
  affordable integer;
  looked_for_abandoned boolean;
  changed uuid[] := '{}';
  changes numeric[] := '{}';
begin
  -- A database that was stopped for a while runs what it had received when it goes on; by then nobody waits for it.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  reservation.state := 'pending';
  reservation.process_id := p_process;
  reservation.created_at := moment;
  reservation.deadline := moment + p_lifetime;
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
    result := null;
    result.max_tokens := 0;
    result.model := acc.model;
    result.key_ciphertext := acc.key_ciphertext;
    result.outcome := case
      when acc.enabled is not true then 'disabled'
      when acc.valid_from is null or (acc.key_ciphertext is null and not p_shared_key) then 'not_configured'
    end;
    if result.outcome is not null then
      for i in acc.first .. acc.last loop
        result.place := i;
        return next result;
      end loop;
      continue;
    end if;

    if acc.month < present_month then
      perform app.ai_roll_over(acc.customer, present_month, moment);
      select a.month, a.included, a.reserved, a.month_usage, a.month_included_usage
      into acc.month, acc.included, acc.reserved, acc.month_usage, acc.month_included_usage
      from ai_account a where a.customer_id = acc.customer;
    end if;
    reservation.customer_id := acc.customer;
    reservation.model := acc.model;
    reservation.price_valid_from := acc.valid_from;
    reservation.month := acc.month;
    reservation.included_limit := acc.monthly_limit;
    -- The total limit caps all that is used in the month. A limit that is null is none.
    spendable := app.ai_spendable(acc.included, acc.monthly_limit - acc.month_included_usage, acc.purchased);
    free := least(spendable, acc.total_limit - acc.month_usage) - acc.reserved;
    newly_reserved := 0;
    looked_for_abandoned := false;
    for i in acc.first .. acc.last loop
      call := p_calls[i];
      result.place := i;
      result.id := null;
      result.max_tokens := 0;
      cost := app.ai_input_ceiling(call.input_tokens, call.cache, acc.input, acc.cache_write_5m, acc.cache_write_1h, acc.cache_read);
      -- Without may_shorten the input bound is a coarse one, and says nothing yet about what the call needs at least.
      least_cost := call.least_tokens * acc.output * 0.000001 + case when call.may_shorten then cost else 0 end;
      if not looked_for_abandoned and acc.reserved > 0 and cost + call.max_tokens * acc.output * 0.000001 > free then
        -- Calls whose process died may have reserved it, and the worker may be down, too.
        looked_for_abandoned := true;
        if app.ai_resolve_abandoned(acc.customer) > 0 then
          select a.included, a.reserved into acc.included, acc.reserved from ai_account a where a.customer_id = acc.customer;
          spendable := app.ai_spendable(acc.included, acc.monthly_limit - acc.month_included_usage, acc.purchased);
          free := least(spendable, acc.total_limit - acc.month_usage) - acc.reserved - newly_reserved;
        end if;
      end if;
      affordable := app.ai_affordable_tokens(call.max_tokens, acc.output, free - cost);
      if affordable < call.max_tokens and not call.may_shorten and free > 0 and least_cost <= free then
        result.outcome := 'too_large';
      elsif affordable < call.least_tokens then
        result.outcome := app.ai_reservation_refusal(
          least_cost, acc.total_limit - acc.month_usage, spendable, acc.reserved + newly_reserved);
      else
        result.outcome := 'reserved';
      end if;
      if result.outcome = 'reserved' then
        result.id := app.new_id(call.seed);
      end if;
      if result.outcome = 'reserved' and call.key_hash is not null then
        if not app.claim_idempotency_key(acc.customer, call.key_hash, call.key_fingerprint, result.id) then
          result.outcome := 'key_taken';
          result.id := null;
        end if;
      end if;
      if result.outcome = 'reserved' then
        result.max_tokens := affordable;
        reservation.id := result.id;
        reservation.amount := cost + affordable * acc.output * 0.000001;
        reservation.input_tokens_bound := call.input_tokens;
        reservation.max_tokens := affordable;
        reservation.request_id := call.request_id;
        reservation.token_id := call.token_id;
        reservation.key_hash := call.key_hash;
        reservations := reservations || reservation;
        free := free - reservation.amount;
        newly_reserved := newly_reserved + reservation.amount;
      end if;
      return next result;
    end loop;
    if newly_reserved > 0 then
      changed := changed || acc.customer;
      changes := changes || newly_reserved;
    end if;
  end loop;

  if cardinality(reservations) > 0 then
    -- A process that was stopped, or whose heartbeats are lost, lives if it reserves: what it reserves must not look abandoned.
    if app.process_is_gone(p_process) then
      perform app.process_heartbeat(p_process);
    end if;
    with made as (
      insert into ai_reservation select * from unnest(reservations))
    update ai_account a set reserved = a.reserved + u.amount
    from unnest(changed, changes) as u (customer, amount)
    where a.customer_id = u.customer;
  end if;
end $$;

-- ai_reserve for the calls of one customer, one after another: the reference for what a batch over many customers must do, and
-- what runs on a cluster, on the node that has the customer's rows. ai_reserve says what the outcomes mean.
create or replace function app.ai_reserve_for(
  p_customer uuid, p_calls app.ai_reservation_request[], p_time_zone text, p_lifetime interval, p_not_after timestamptz,
  p_shared_key boolean, p_process uuid)
returns setof app.ai_reservation_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  moment timestamptz := app.now();
  present_month text := app.billing_month(moment, p_time_zone);
  acc ai_account;
  settings ai_settings;
  price ai_model_price;
  call app.ai_reservation_request;
  result app.ai_reservation_result;
  spendable numeric;
  free numeric;
  cost numeric;
  least_cost numeric;
  affordable integer;
  newly_reserved numeric := 0;
  looked_for_abandoned boolean := false;
begin
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  select * into acc from ai_account where customer_id = p_customer for no key update;
  if not found then
    return;
  end if;
  select * into settings from ai_settings where customer_id = p_customer;
  select * into price from ai_model_price m
  where m.model = settings.model and m.valid_from <= moment order by m.valid_from desc limit 1;

  result.place := 0;
  result.model := settings.model;
  result.key_ciphertext := settings.key_ciphertext;
  result.max_tokens := 0;
  result.outcome := case
    when settings.enabled is not true then 'disabled'
    when price.valid_from is null or (settings.key_ciphertext is null and not p_shared_key) then 'not_configured'
  end;
  if result.outcome is not null then
    foreach call in array p_calls loop
      result.place := result.place + 1;
      return next result;
    end loop;
    return;
  end if;

  if acc.month < present_month then
    perform app.ai_roll_over(p_customer, present_month, moment);
    select * into acc from ai_account where customer_id = p_customer;
  end if;
  foreach call in array p_calls loop
    result.place := result.place + 1;
    result.id := null;
    result.max_tokens := 0;
    cost := app.ai_input_ceiling(
      call.input_tokens, call.cache, price.input, price.cache_write_5m, price.cache_write_1h, price.cache_read);
    least_cost := call.least_tokens * price.output * 0.000001 + case when call.may_shorten then cost else 0 end;
    spendable := app.ai_spendable(acc.included, settings.monthly_limit - acc.month_included_usage, acc.purchased);
    free := least(spendable, settings.total_limit - acc.month_usage) - acc.reserved - newly_reserved;
    if not looked_for_abandoned and acc.reserved > 0 and cost + call.max_tokens * price.output * 0.000001 > free then
      looked_for_abandoned := true;
      if app.ai_resolve_abandoned(p_customer) > 0 then
        select * into acc from ai_account where customer_id = p_customer;
        spendable := app.ai_spendable(acc.included, settings.monthly_limit - acc.month_included_usage, acc.purchased);
        free := least(spendable, settings.total_limit - acc.month_usage) - acc.reserved - newly_reserved;
      end if;
    end if;
    affordable := app.ai_affordable_tokens(call.max_tokens, price.output, free - cost);
    result.outcome := case
      when affordable < call.max_tokens and not call.may_shorten and free > 0 and least_cost <= free then 'too_large'
      when affordable < call.least_tokens then
        app.ai_reservation_refusal(least_cost, settings.total_limit - acc.month_usage, spendable,
          acc.reserved + newly_reserved)
      else 'reserved'
    end;
    if result.outcome = 'reserved' then
      result.id := app.new_id(call.seed);
      if call.key_hash is not null then
        if not app.claim_idempotency_key(p_customer, call.key_hash, call.key_fingerprint, result.id) then
          result.outcome := 'key_taken';
          result.id := null;
        end if;
      end if;
    end if;
    if result.outcome = 'reserved' then
      result.max_tokens := affordable;
      cost := cost + affordable * price.output * 0.000001;
      insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
                                  month, included_limit, process_id, request_id, token_id, key_hash, created_at)
      values (p_customer, result.id, cost, settings.model, price.valid_from, call.input_tokens, affordable,
              moment + p_lifetime, acc.month, settings.monthly_limit, p_process, call.request_id, call.token_id,
              call.key_hash, moment);
      newly_reserved := newly_reserved + cost;
    end if;
    return next result;
  end loop;
  if newly_reserved > 0 then
    update ai_account set reserved = reserved + newly_reserved where customer_id = p_customer;
    -- A process that was stopped, or whose heartbeats are lost, lives if it reserves: what it reserves must not look abandoned.
    if app.process_is_gone(p_process) then
      perform app.process_heartbeat(p_process);
    end if;
  end if;
end $$;
