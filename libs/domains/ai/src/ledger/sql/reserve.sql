-- Phase one of a call. Reserves the most that the call can cost, before the upstream is called.
--
-- A reservation is pending until it is resolved. It is resolved at most once:
--   settled          by ai_settle: the upstream answered; the cost is charged, the rest becomes free again
--   released         by ai_release: the upstream refused or failed; nothing is charged
--   outcome_unknown  by ai_release or ai_resolve_abandoned: nobody knows how the call ended; nothing is charged
--   not_charged      by ai_release: the upstream answered, and the customer is told that nothing is charged; final
-- Reserved credit stays on the account and cannot be reserved again: only free credit can (credit-order.sql).
--
-- ai_reserve_calls decides which calls are made; what is reserved for them is computed in pricing.sql. ai_reserve and ai_reserve_for
-- read the rows that it decides on, and write its decisions: the one for many customers at once, the other for one customer, in
-- statements that a cluster runs on the customer's node.

-- The reason why nothing is reserved for a call that needs p_needed at least: the total limit leaves less; calls in progress
-- have reserved the credit that would cover it; or the credit does not cover it. A total limit that is null is none.
create or replace function app.ai_reservation_refusal(
  p_needed numeric, p_total_left numeric, p_spendable numeric, p_reserved numeric) returns text
language sql immutable
as $$
  select case
    when p_needed > p_total_left then 'over_limit'
    when p_needed <= p_spendable and p_reserved > 0 then 'in_progress'
    else 'exhausted'
  end
$$;

-- Decides about calls of customers whose accounts the caller has locked. The calls of a payer are those from first to last.
--
-- outcome: reserved
--          disabled, not_configured: the operator's decisions
--          too_large: the credit may do for a closer input bound, or for fewer output tokens (only without may_shorten)
--          over_limit: the operator's total limit of the month leaves less than the least answer needs
--          in_progress: the credit would cover the least answer, had calls in progress not reserved it
--          exhausted: it would not
--          key_taken: another call has the call's Idempotency-Key
-- The least answer has least_tokens, which the caller asks for (call-reservation.service.ts).
-- The accounts of `customers` are to have `amounts` more reserved.
create or replace function app.ai_reserve_calls(
  p_payers app.ai_payer[], p_calls app.ai_reservation_request[], p_now timestamptz, p_time_zone text, p_lifetime interval,
  p_not_after timestamptz, p_shared_key boolean, p_process uuid,
  out results app.ai_reservation_result[], out reservations app.ai_new_reservation[], out customers uuid[], out amounts numeric[])
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  present_month text := app.billing_month(p_now, p_time_zone);
  payer app.ai_payer;
  call app.ai_reservation_request;
  outcome text;
  id uuid;
  spendable numeric;
  free numeric;
  newly_reserved numeric;
  cost numeric;
  least_cost numeric;
  affordable integer;
  looked_for_abandoned boolean;
begin
  -- A database that was stopped for a while runs the statements that it had received when it goes on; by then nobody waits.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  foreach payer in array p_payers loop
    if payer.enabled is not true or payer.price_valid_from is null or (payer.key_ciphertext is null and not p_shared_key) then
      outcome := case when payer.enabled is not true then 'disabled' else 'not_configured' end;
      for i in payer.first .. payer.last loop
        results := results || row(i, outcome, null, payer.model, payer.key_ciphertext, 0)::app.ai_reservation_result;
      end loop;
      continue;
    end if;

    if payer.month < present_month then
      perform app.ai_roll_over(payer.customer_id, present_month, p_now);
      select a.month, a.included, a.reserved, a.month_usage, a.month_included_usage
      into payer.month, payer.included, payer.reserved, payer.month_usage, payer.month_included_usage
      from ai_account a where a.customer_id = payer.customer_id;
    end if;
    spendable := app.ai_spendable(payer.included, payer.monthly_limit - payer.month_included_usage, payer.purchased);
    free := app.ai_free_credit(spendable, payer.total_limit - payer.month_usage, payer.reserved);
    newly_reserved := 0;
    looked_for_abandoned := payer.reserved = 0;
    for i in payer.first .. payer.last loop
      call := p_calls[i];
      -- A bound below zero would lower what is reserved for the other tokens.
      if least(call.input_tokens, call.max_tokens, call.least_tokens) < 0 then
        raise exception 'a call cannot have less than no tokens: input %, output % and at least %',
          call.input_tokens, call.max_tokens, call.least_tokens using errcode = 'invalid_parameter_value';
      end if;
      cost := app.ai_input_ceiling(
        call.input_tokens, call.cache, payer.input, payer.cache_write_5m, payer.cache_write_1h, payer.cache_read);
      affordable := app.ai_affordable_tokens(call.max_tokens, payer.output, free - cost);
      if affordable < call.max_tokens and not looked_for_abandoned then
        -- Calls whose process died may have reserved it, and the worker may be down, too.
        looked_for_abandoned := true;
        if app.ai_resolve_abandoned(payer.customer_id) > 0 then
          select a.included, a.reserved into payer.included, payer.reserved
          from ai_account a where a.customer_id = payer.customer_id;
          spendable := app.ai_spendable(payer.included, payer.monthly_limit - payer.month_included_usage, payer.purchased);
          free := app.ai_free_credit(spendable, payer.total_limit - payer.month_usage, payer.reserved + newly_reserved);
          affordable := app.ai_affordable_tokens(call.max_tokens, payer.output, free - cost);
        end if;
      end if;

      outcome := 'reserved';
      if affordable < greatest(call.max_tokens, call.least_tokens) then
        -- Without may_shorten the input bound is a coarse one, and says nothing yet about the least that the call needs.
        least_cost := app.ai_reserved_amount(case when call.may_shorten then cost else 0 end, call.least_tokens, payer.output);
        if affordable < call.max_tokens and not call.may_shorten and free > 0 and least_cost <= free then
          outcome := 'too_large';
        elsif affordable < call.least_tokens then
          outcome := app.ai_reservation_refusal(
            least_cost, payer.total_limit - payer.month_usage, spendable, payer.reserved + newly_reserved);
        end if;
      end if;
      if outcome = 'reserved' then
        id := app.new_id(call.seed);
        if call.key_hash is not null then
          if not app.claim_idempotency_key(payer.customer_id, call.key_hash, call.key_fingerprint, id) then
            outcome := 'key_taken';
          end if;
        end if;
      end if;
      if outcome <> 'reserved' then
        results := results || row(i, outcome, null, payer.model, payer.key_ciphertext, 0)::app.ai_reservation_result;
        continue;
      end if;

      results := results || row(i, 'reserved', id, payer.model, payer.key_ciphertext, affordable)::app.ai_reservation_result;
      cost := app.ai_reserved_amount(cost, affordable, payer.output);
      reservations := reservations || row(
        payer.customer_id, id, cost, payer.model, payer.price_valid_from, call.input_tokens, affordable, p_now + p_lifetime,
        payer.month, payer.monthly_limit, p_process, call.request_id, call.token_id, call.key_hash, p_now)::app.ai_new_reservation;
      free := free - cost;
      newly_reserved := newly_reserved + cost;
    end loop;
    if newly_reserved > 0 then
      customers := customers || payer.customer_id;
      amounts := amounts || newly_reserved;
    end if;
  end loop;
  -- A process that was stopped, or whose heartbeats are lost, lives if it reserves: its new reservations must not look abandoned.
  if reservations is not null and app.process_is_gone(p_process) then
    perform app.process_heartbeat(p_process);
  end if;
end $$;

-- For many calls of many customers, because the fixed cost of a statement is then paid once for all of them. The customers are
-- sorted, each once, so that two batches never deadlock on the accounts' locks. The calls of one customer stand together,
-- from p_first to p_last. A call without a row in the answer belongs to a customer without an account.
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
  payers app.ai_payer[];
  made record;
  result app.ai_reservation_result;
begin
  perform from unnest(p_customers) with ordinality as c (customer, place)
  join ai_account a on a.customer_id = c.customer
  order by c.place
  for no key update of a;
  -- A statement of its own, so that it sees the limits and prices that were changed while it waited for the locks.
  select coalesce(array_agg(found.payer order by found.place), '{}') into payers
  from (
    select row(c.customer, c.first, c.last, a.month, a.included, a.purchased, a.reserved, a.month_usage, a.month_included_usage,
      s.monthly_limit, s.total_limit, s.enabled, s.model, s.key_ciphertext,
      p.valid_from, p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output)::app.ai_payer as payer, c.place
    from unnest(p_customers, p_first, p_last) with ordinality as c (customer, first, last, place)
    join ai_account a on a.customer_id = c.customer
    left join ai_settings s on s.customer_id = c.customer
    left join lateral app.ai_price_at(s.model, moment) p on true) found;
  made := app.ai_reserve_calls(payers, p_calls, moment, p_time_zone, p_lifetime, p_not_after, p_shared_key, p_process);
  if made.reservations is not null then
    with written as (
      insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
                                  month, included_limit, process_id, request_id, token_id, key_hash, created_at)
      select * from unnest(made.reservations))
    update ai_account a set reserved = a.reserved + u.amount
    from unnest(made.customers, made.amounts) as u (customer, amount)
    where a.customer_id = u.customer;
  end if;
  -- Most batches have no refused call.
  if coalesce(cardinality(made.reservations), 0) < cardinality(made.results) then
    foreach result in array made.results loop
      if result.outcome in ('exhausted', 'over_limit') then
        perform app.ai_announce_exhausted(p_customers[its.place], (p_calls[result.place]).key_hash)
        from (select c.place from unnest(p_first, p_last) with ordinality as c (first, last, place)
          where result.place between c.first and c.last) its;
      end if;
    end loop;
  end if;
  return query select * from unnest(made.results);
end $$;

-- ai_reserve for the calls of one customer.
create or replace function app.ai_reserve_for(
  p_customer uuid, p_calls app.ai_reservation_request[], p_time_zone text, p_lifetime interval, p_not_after timestamptz,
  p_shared_key boolean, p_process uuid)
returns setof app.ai_reservation_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  moment timestamptz := app.now();
  acc ai_account;
  settings ai_settings;
  price ai_model_price;
  payer app.ai_payer;
  made record;
  reservation app.ai_new_reservation;
  result app.ai_reservation_result;
begin
  select * into acc from ai_account where customer_id = p_customer for no key update;
  if not found then
    return;
  end if;
  select * into settings from ai_settings where customer_id = p_customer;
  select * into price from app.ai_price_at(settings.model, moment);
  payer := row(p_customer, 1, cardinality(p_calls), acc.month, acc.included, acc.purchased, acc.reserved, acc.month_usage,
    acc.month_included_usage, settings.monthly_limit, settings.total_limit, settings.enabled, settings.model,
    settings.key_ciphertext, price.valid_from, price.input, price.cache_write_5m, price.cache_write_1h, price.cache_read,
    price.output);
  made := app.ai_reserve_calls(
    array[payer], p_calls, moment, p_time_zone, p_lifetime, p_not_after, p_shared_key, p_process);
  if made.reservations is not null then
    foreach reservation in array made.reservations loop
      insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
                                  month, included_limit, process_id, request_id, token_id, key_hash, created_at)
      values (p_customer, reservation.id, reservation.amount, reservation.model, reservation.price_valid_from,
              reservation.input_tokens_bound, reservation.max_tokens, reservation.deadline, reservation.month,
              reservation.included_limit, reservation.process_id, reservation.request_id, reservation.token_id,
              reservation.key_hash, reservation.created_at);
    end loop;
    update ai_account set reserved = reserved + coalesce(made.amounts[1], 0) where customer_id = p_customer;
  end if;
  foreach result in array made.results loop
    if result.outcome in ('exhausted', 'over_limit') then
      perform app.ai_announce_exhausted(p_customer, (p_calls[result.place]).key_hash);
    end if;
    return next result;
  end loop;
end $$;
