-- ai_reserve for the calls of one customer, one after another: the reference for what a batch over many customers must do, and
-- what runs on a cluster, on the node that has the customer's rows. ai_reserve says what the outcomes mean.
create function app.ai_reserve_for(
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
end $$
