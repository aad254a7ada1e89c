-- ai_settle for the calls of one customer, one after another: the reference for what a batch over many customers must do, and
-- what runs on a cluster, on the node that has the customer's rows. `owner` of the calls is not used.
create function app.ai_settle_for(
  p_customer uuid, p_calls app.ai_settlement[], p_time_zone text, p_not_after timestamptz, p_provider text)
returns setof app.ai_settlement_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  moment timestamptz := app.now();
  present_month text := app.billing_month(moment, p_time_zone);
  booked_at timestamptz := moment;
  acc ai_account;
  reservation ai_reservation;
  price ai_model_price;
  total_limit numeric;
  call app.ai_settlement;
  result app.ai_settlement_result;
  place integer := 0;
  before integer[] := '{}';
  cost numeric;
  charge numeric;
  usable numeric;
  carried numeric;
  from_included numeric;
  from_purchased numeric;
  over_month boolean := false;
  summed ai_usage_day;
  to_sum ai_usage_day[] := '{}';
begin
  select * into acc from ai_account where customer_id = p_customer for no key update;
  if not found then
    return;
  end if;
  -- Once its caller has stopped waiting the call may have been given up, and its customer told that it is not charged.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  if acc.month < present_month then
    perform app.ai_roll_over(p_customer, present_month, moment);
    select * into acc from ai_account where customer_id = p_customer;
  end if;
  if acc.month > present_month then
    booked_at := (acc.month || '-01')::timestamp at time zone p_time_zone;
  end if;

  foreach call in array p_calls loop
    place := place + 1;
    select * into reservation from ai_reservation
    where customer_id = p_customer and id = call.id and state <> 'settled_late';
    if not found then
      before := before || place;
      continue;
    end if;
    if (price.model, price.valid_from) is distinct from (reservation.model, reservation.price_valid_from) then
      select * into price from ai_model_price m
      where m.model = reservation.model and m.valid_from = reservation.price_valid_from;
    end if;
    cost := (call.input * price.input + call.write_5m * price.cache_write_5m + call.write_1h * price.cache_write_1h
      + call.read * price.cache_read + call.output * price.output) * 0.000001;
    result.place := place;
    result.outcome := 'settled';
    result.late := reservation.state <> 'pending';
    if reservation.key_hash is not null then
      if not app.complete_idempotency_key(
           p_customer, reservation.key_hash, call.id, call.reply_secrets_key, call.reply) then
        result.outcome := 'key_taken';
        result.charged := 0;
        result.uncovered := cost;
        result.remaining := acc.included + acc.purchased;
        return next result;
        continue;
      end if;
    end if;

    -- What is charged: all that was reserved for it, or what is free now.
    usable := greatest(least(acc.included, reservation.included_limit - acc.month_included_usage), 0);
    if result.late then
      select s.total_limit into total_limit from ai_settings s where s.customer_id = p_customer;
      charge := greatest(least(cost, reservation.amount, usable + acc.purchased - acc.reserved,
        total_limit - acc.month_usage - acc.reserved), 0);
      carried := 0;
      update ai_reservation set state = 'settled_late' where customer_id = p_customer and id = call.id;
    else
      charge := least(cost, reservation.amount);
      acc.reserved := acc.reserved - reservation.amount;
      -- What the turn of the month left for the calls that had reserved it is theirs alone.
      carried := case when reservation.month < acc.month then least(charge, acc.carried_over) else 0 end;
      over_month := over_month or reservation.month < acc.month;
      delete from ai_reservation where customer_id = p_customer and id = call.id;
    end if;

    -- Who pays: included credit first. Beyond its limit only where the limit was lowered after the credit had been reserved.
    from_included := carried + least(charge - carried, greatest(usable - acc.carried_over, 0));
    from_purchased := least(charge - from_included, acc.purchased);
    from_included := charge - from_purchased;
    acc.included := acc.included - from_included;
    acc.month_included_usage := acc.month_included_usage + from_included;
    acc.carried_over := least(acc.carried_over - carried, acc.included);
    acc.purchased := acc.purchased - from_purchased;
    acc.month_usage := acc.month_usage + charge;

    insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
                          cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased,
                          price_valid_from, request_id, api_request_id, token_id, streamed, created_at)
    values (p_customer, call.id, p_provider, reservation.model, call.input, call.write_5m, call.write_1h, call.read, call.output,
            cost, cost - charge, from_included, from_purchased, reservation.price_valid_from, call.upstream_id,
            reservation.request_id, reservation.token_id, call.streamed, booked_at);
    summed := (p_customer, booked_at at time zone p_time_zone, reservation.model, reservation.token_id, 1, call.input,
      call.write_5m, call.write_1h, call.read, call.output, cost, cost - charge, from_included, from_purchased);
    to_sum := to_sum || summed;
    -- A call that cost nothing leaves an entry all the same.
    if from_included > 0 or charge = 0 then
      acc.ledger_sequence := acc.ledger_sequence + 1;
      insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor, created_at)
      values (p_customer, acc.ledger_sequence, 'usage', 'included', -from_included, acc.included, acc.month, call.id, 'system',
              booked_at);
    end if;
    if from_purchased > 0 then
      acc.ledger_sequence := acc.ledger_sequence + 1;
      insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor, created_at)
      values (p_customer, acc.ledger_sequence, 'usage', 'purchased', -from_purchased, acc.purchased, acc.month, call.id, 'system',
              booked_at);
    end if;
    result.charged := charge;
    result.uncovered := cost - charge;
    result.remaining := acc.included + acc.purchased;
    return next result;
  end loop;

  update ai_account
  set included = acc.included, carried_over = acc.carried_over, purchased = acc.purchased, reserved = acc.reserved,
      month_usage = acc.month_usage, month_included_usage = acc.month_included_usage, ledger_sequence = acc.ledger_sequence
  where customer_id = p_customer;
  if cardinality(to_sum) = 1 then
    perform app.ai_add_to_day(p_customer, to_sum[1]);
  else
    for summed in
      select s.customer_id, s.day, s.model, s.token_id, sum(s.calls), sum(s.input_tokens), sum(s.cache_write_5m_tokens),
             sum(s.cache_write_1h_tokens), sum(s.cache_read_tokens), sum(s.output_tokens), sum(s.cost), sum(s.uncovered),
             sum(s.paid_from_included), sum(s.paid_from_purchased)
      from unnest(to_sum) s group by 1, 2, 3, 4
    loop
      perform app.ai_add_to_day(p_customer, summed);
    end loop;
  end if;
  if over_month then
    perform app.ai_expire_carried_over(p_customer, moment);
  end if;
  foreach place in array before loop
    call := p_calls[place];
    select place, 'settled', u.cost - u.uncovered, u.uncovered, r.id is not null, a.included + a.purchased into result
    from ai_usage u
    join ai_account a on a.customer_id = u.customer_id
    left join ai_reservation r on r.customer_id = u.customer_id and r.id = u.id
    where u.customer_id = p_customer and u.id = call.id;
    if found then
      return next result;
    end if;
  end loop;
end $$
