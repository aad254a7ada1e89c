-- Phase two of a call that the upstream answered. Charges it and settles its reservation. All or nothing are written: the usage
-- row, the ledger entries (included credit first, then purchased), the balances, the reservation's end, and the reply that
-- is kept for the call's Idempotency-Key.
--
-- The charge is the call's cost, but at most the reserved amount. The rest of the cost is recorded as uncovered. Which of the
-- two credits pays it is decided in credit-order.sql.
-- A call is charged at most once. Its usage row has the reservation's id and takes its place; naming it again changes nothing
-- and returns the same charge.
--
-- A reservation that was given up before the answer came stays resolved. The call is charged late, in an entry of its own: from
-- credit that is free now, at most the amount reserved then; the rest is uncovered. `late` says so. Its Idempotency-Key was free
-- meanwhile: if another call has it now, this one is not charged (outcome key_taken). Nor is one whose customer has been told so
-- (outcome not_charged).
--
-- ai_settle_calls has the rules. ai_settle and ai_settle_for read the rows that it decides on, and write its decisions: the one
-- for many customers at once, the other for one customer, in statements that a cluster runs on the customer's node.

-- Decides the charges of calls of customers whose accounts the caller has locked. p_reservations and p_costs are those of the
-- calls, in their order; null for a call without a reservation that could be settled: it has no result. The owner of a call is
-- the place of its customer in p_accounts, 1 unless given, and the calls of one customer stand together.
--
-- Returns what the caller writes: the changed accounts, the usages, which replace their reservations except those in late_ids, and
-- the entries. Carried over credit of the customers in over_month may expire afterwards. Completes the calls' Idempotency-Keys with
-- their replies; with p_keys_together it leaves those that the calls have for certain to the caller: they are at the places `keyed`.
create or replace function app.ai_settle_calls(
  p_accounts ai_account[], p_calls app.ai_settlement[], p_reservations ai_reservation[], p_costs numeric[],
  p_now timestamptz, p_time_zone text, p_not_after timestamptz, p_provider text, p_keys_together boolean,
  out results app.ai_settlement_result[], out accounts ai_account[], out usages app.ai_charged_call[], out entries app.ai_usage_booking[],
  out late_ids uuid[], out keyed integer[], out over_month uuid[])
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  present_month text := app.billing_month(p_now, p_time_zone);
  place integer := 0;
  owner integer;
  acc ai_account;
  call app.ai_settlement;
  reservation ai_reservation;
  cost numeric;
  late boolean;
  booked_at timestamptz;
  charge numeric;
  monthly_limit numeric;
  total_limit numeric;
  spendable numeric;
  carried numeric;
  unneeded numeric;
  from_purchased numeric;
  from_included numeric;
  remaining numeric;
  named uuid[];
begin
  -- Once its caller has stopped waiting the call may have been given up, and its customer told that it is not charged. A
  -- database that was stopped for a while runs the statements that it had received when it goes on.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  foreach call in array p_calls loop
    place := place + 1;
    if owner is distinct from coalesce(call.owner, 1) then
      if owner is not null then
        accounts := accounts || acc;
      end if;
      owner := coalesce(call.owner, 1);
      acc := p_accounts[owner];
      named := null;
      if acc.month < present_month then
        perform app.ai_roll_over(acc.customer_id, present_month, p_now);
        select a.* into acc from ai_account a where a.customer_id = acc.customer_id;
      end if;
      -- A call that waited for the lock over the turn of the month belongs to the month that the account is in.
      booked_at := case when acc.month > present_month then (acc.month || '-01')::timestamp at time zone p_time_zone else p_now end;
    end if;
    reservation := p_reservations[place];
    -- Named twice in one batch, it is charged once.
    continue when reservation.id is null or call.id = any (named);
    if (reservation.customer_id, reservation.id) is distinct from (acc.customer_id, call.id) then
      raise exception 'the reservation % is not that of the call %', reservation.id, call.id;
    end if;
    cost := p_costs[place];
    late := reservation.state <> 'pending';
    if late and reservation.state = 'not_charged' then
      results := results || row(place, 'not_charged', 0, cost, late, acc.included + acc.purchased)::app.ai_settlement_result;
      continue;
    end if;
    if reservation.key_hash is not null then
      -- While a reservation is pending its key is its own, until another request may have it after a day.
      if p_keys_together and not late and reservation.created_at > p_now - app.idempotency_key_lifetime() + interval '1 hour' then
        keyed := keyed || place;
      elsif not app.complete_idempotency_key(
          acc.customer_id, reservation.key_hash, call.id, call.reply_secrets_key, call.reply) then
        results := results || row(place, 'key_taken', 0, cost, late, acc.included + acc.purchased)::app.ai_settlement_result;
        continue;
      end if;
    end if;
    named := named || call.id;

    -- Credit that an ended month kept for calls of this batch, and that they did not use, is not free for a late one.
    if late and acc.customer_id = any (over_month) then
      unneeded := app.ai_unneeded_carried_over(acc, named);
      if unneeded > 0 then
        acc.included := acc.included - unneeded;
        acc.carried_over := acc.carried_over - unneeded;
        acc.ledger_sequence := acc.ledger_sequence + 1;
        entries := entries || row(acc.customer_id, app.new_id(), acc.ledger_sequence, 'expiry', 'included', -unneeded,
          acc.included, to_char((acc.month || '-01')::date - 1, 'YYYY-MM'), null, 'system', p_now)::app.ai_usage_booking;
      end if;
    end if;

    -- The charge: at most the reserved amount, or the credit that is free now, within the limits of now.
    monthly_limit := reservation.included_limit;
    if late then
      select s.monthly_limit, s.total_limit into monthly_limit, total_limit from ai_settings s where s.customer_id = acc.customer_id;
    end if;
    spendable := app.ai_spendable(acc.included, monthly_limit - acc.month_included_usage, acc.purchased);
    if late then
      charge := greatest(
        least(cost, reservation.amount, app.ai_free_credit(spendable, total_limit - acc.month_usage, acc.reserved)), 0);
      late_ids := late_ids || call.id;
      carried := 0;
    else
      charge := least(cost, reservation.amount);
      acc.reserved := acc.reserved - reservation.amount;
      -- Credit that the turn of the month kept for the calls that had reserved it is theirs alone.
      carried := case when reservation.month < acc.month then least(charge, acc.carried_over) else 0 end;
      if reservation.month < acc.month and (over_month is null or acc.customer_id <> all (over_month)) then
        over_month := over_month || acc.customer_id;
      end if;
    end if;

    from_purchased := app.ai_paid_from_purchased(charge, carried, greatest(spendable - acc.purchased - acc.carried_over, 0), acc.purchased);
    from_included := charge - from_purchased;
    usages := usages || row(
      acc.customer_id, call.id, p_provider, reservation.model, call.input, call.write_5m, call.write_1h, call.read, call.output,
      cost, cost - charge, from_included, from_purchased, reservation.price_valid_from, call.upstream_id,
      reservation.request_id, reservation.token_id, call.streamed, booked_at)::app.ai_charged_call;
    acc.month_usage := acc.month_usage + charge;
    -- A call that cost nothing leaves an entry all the same.
    if from_included > 0 or charge = 0 then
      acc.included := acc.included - from_included;
      acc.month_included_usage := acc.month_included_usage + from_included;
      acc.carried_over := least(acc.carried_over - carried, acc.included);
      acc.ledger_sequence := acc.ledger_sequence + 1;
      entries := entries || row(acc.customer_id, app.new_id(), acc.ledger_sequence, 'usage', 'included', -from_included,
        acc.included, acc.month, call.id, 'system', booked_at)::app.ai_usage_booking;
    end if;
    if from_purchased > 0 then
      acc.purchased := acc.purchased - from_purchased;
      acc.ledger_sequence := acc.ledger_sequence + 1;
      entries := entries || row(acc.customer_id, app.new_id(), acc.ledger_sequence, 'usage', 'purchased', -from_purchased,
        acc.purchased, acc.month, call.id, 'system', booked_at)::app.ai_usage_booking;
    end if;
    remaining := acc.included + acc.purchased;
    if acc.customer_id = any (over_month) then
      -- It expires in this transaction.
      remaining := remaining - app.ai_unneeded_carried_over(acc, named);
    end if;
    results := results || row(place, 'settled', charge, cost - charge, late, remaining)::app.ai_settlement_result;
  end loop;
  if owner is not null then
    accounts := accounts || acc;
  end if;
end $$;

-- For many calls of many customers, as ai_reserve: a call's owner is the place of its customer in p_customers. A call without a
-- row in the answer has no reservation.
create or replace function app.ai_settle(
  p_customers uuid[], p_calls app.ai_settlement[], p_time_zone text, p_not_after timestamptz, p_provider text)
returns setof app.ai_settlement_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moment timestamptz := app.now();
  locked record;
  accounts ai_account[] := '{}';
  reservations ai_reservation[];
  costs numeric[];
  made record;
  customer uuid;
  acc ai_account;
begin
  for locked in
    select c.place, a as account
    from unnest(p_customers) with ordinality as c (customer, place)
    join ai_account a on a.customer_id = c.customer
    order by c.place
    for no key update of a
  loop
    accounts[locked.place] := locked.account;
  end loop;
  -- A statement of its own, so that it sees the changes to the reservations while it waited for the locks.
  select array_agg(h.reservation), array_agg(h.cost) into reservations, costs
  from unnest(p_calls) call
  -- OFFSET 0 keeps the planner from turning the look-up around, into reading all reservations.
  left join lateral (
    select r as reservation, app.ai_cost(call, p) as cost
    from ai_reservation r
    join ai_model_price p on p.model = r.model and p.valid_from = r.price_valid_from
    where r.customer_id = p_customers[call.owner] and r.id = call.id and r.state <> 'settled_late'
    offset 0) h on true;
  made := app.ai_settle_calls(
    accounts, p_calls, reservations, costs, moment, p_time_zone, p_not_after, p_provider, true);
  if made.keyed is not null then
    perform app.complete_idempotency_keys(
      array_agg((reservations[k]).customer_id), array_agg((reservations[k]).key_hash), array_agg((p_calls[k]).id),
      array_agg((p_calls[k]).reply_secrets_key), array_agg((p_calls[k]).reply))
    from unnest(made.keyed) k;
  end if;
  if made.usages is not null then
    perform app.ai_write_settlements(made.accounts, made.usages, made.entries, made.late_ids, p_time_zone);
  end if;
  if made.over_month is not null then
    foreach customer in array made.over_month loop
      perform app.ai_expire_carried_over(customer, moment);
    end loop;
  end if;
  foreach acc in array coalesce(made.accounts, '{}') loop
    if acc.month_usage > 0 and acc.month_usage >= acc.next_threshold_at then
      perform app.ai_announce_thresholds(acc.customer_id);
    end if;
  end loop;
  return query select * from unnest(made.results);
  if coalesce(cardinality(made.results), 0) < cardinality(p_calls) then
    return query
    select * from app.ai_settled_before(p_customers, p_calls) s
    where s.place <> all (array(select r.place from unnest(made.results) r));
  end if;
end $$;

-- The results of calls of a batch that had been settled before, as those of ai_settle.
create or replace function app.ai_settled_before(p_customers uuid[], p_calls app.ai_settlement[])
returns setof app.ai_settlement_result
language sql stable
as $$
  select c.place::integer, 'settled', u.cost - u.uncovered, u.uncovered, h.id is not null, a.included + a.purchased
  from unnest(p_calls) with ordinality
    as c (owner, id, input, write_5m, write_1h, read, output, upstream_id, streamed, reply_secrets_key, reply, place)
  join public.ai_usage u on u.customer_id = p_customers[c.owner] and u.id = c.id
  join public.ai_account a on a.customer_id = u.customer_id
  left join public.ai_reservation h on h.customer_id = u.customer_id and h.id = u.id
$$;

-- Writes the decisions of ai_settle_calls, and adds them to the sums of the day. Calls without a token count under the nil UUID.
create or replace function app.ai_write_settlements(
  p_accounts ai_account[], p_usages app.ai_charged_call[], p_entries app.ai_usage_booking[], p_late_ids uuid[], p_time_zone text)
returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  with gone as (
    -- Not by their state: the index of the pending ones, nearly empty whenever it is analyzed, would seem better than the
    -- primary key, and has an entry of every call that the customer has made since the last vacuum.
    delete from ai_reservation r using unnest(p_usages) u
    where r.customer_id = u.customer_id and r.id = u.id and (p_late_ids is null or r.id <> all (p_late_ids))),
  used as (
    insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens,
      output_tokens, cost, uncovered, paid_from_included, paid_from_purchased, price_valid_from, request_id,
      api_request_id, token_id, streamed, created_at)
    select * from unnest(p_usages)),
  summed as (
    insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
      cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
    select u.customer_id, (u.created_at at time zone p_time_zone)::date, u.model,
           coalesce(u.token_id, '00000000-0000-0000-0000-000000000000'), count(*), sum(u.input_tokens),
           sum(u.cache_write_5m_tokens), sum(u.cache_write_1h_tokens), sum(u.cache_read_tokens), sum(u.output_tokens),
           sum(u.cost), sum(u.uncovered), sum(u.paid_from_included), sum(u.paid_from_purchased)
    from unnest(p_usages) u
    group by 1, 2, 3, 4
    on conflict (customer_id, day, model, token_id) do update
    set calls = d.calls + excluded.calls, input_tokens = d.input_tokens + excluded.input_tokens,
        cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
        cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
        cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
        output_tokens = d.output_tokens + excluded.output_tokens, cost = d.cost + excluded.cost,
        uncovered = d.uncovered + excluded.uncovered, paid_from_included = d.paid_from_included + excluded.paid_from_included,
        paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased),
  booked as (
    insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor, created_at)
    select * from unnest(p_entries))
  update ai_account a
  set included = s.included, carried_over = s.carried_over, purchased = s.purchased, reserved = s.reserved,
      month_usage = s.month_usage, month_included_usage = s.month_included_usage, ledger_sequence = s.ledger_sequence
  from unnest(p_accounts) s
  where a.customer_id = s.customer_id and a.ledger_sequence <> s.ledger_sequence;
  if p_late_ids is not null then
    update ai_reservation r set state = 'settled_late' from unnest(p_usages) u
    where r.customer_id = u.customer_id and r.id = u.id and u.id = any (p_late_ids);
  end if;
end $$;

-- ai_settle for the calls of one customer.
create or replace function app.ai_settle_for(
  p_customer uuid, p_calls app.ai_settlement[], p_time_zone text, p_not_after timestamptz, p_provider text)
returns setof app.ai_settlement_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  moment timestamptz := app.now();
  acc ai_account;
  reservation ai_reservation;
  reservations ai_reservation[];
  price ai_model_price;
  costs numeric[];
  call app.ai_settlement;
  made record;
  usage app.ai_charged_call;
  entry app.ai_usage_booking;
  result app.ai_settlement_result;
  answered integer[];
begin
  select * into acc from ai_account where customer_id = p_customer for no key update;
  if not found then
    return;
  end if;
  foreach call in array p_calls loop
    select * into reservation from ai_reservation
    where customer_id = p_customer and id = call.id and state <> 'settled_late';
    if found and (price.model, price.valid_from) is distinct from (reservation.model, reservation.price_valid_from) then
      select * into price from ai_model_price m
      where m.model = reservation.model and m.valid_from = reservation.price_valid_from;
    end if;
    reservations := reservations || reservation;
    costs := costs || app.ai_cost(call, price);
  end loop;
  made := app.ai_settle_calls(
    array[acc], p_calls, reservations, costs, moment, p_time_zone, p_not_after, p_provider, false);

  if made.usages is not null then
    foreach usage in array made.usages loop
      if usage.id = any (made.late_ids) then
        update ai_reservation set state = 'settled_late' where customer_id = p_customer and id = usage.id;
      else
        delete from ai_reservation where customer_id = p_customer and id = usage.id;
      end if;
      insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
                            cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased,
                            price_valid_from, request_id, api_request_id, token_id, streamed, created_at)
      values (p_customer, usage.id, usage.provider, usage.model, usage.input_tokens, usage.cache_write_5m_tokens,
              usage.cache_write_1h_tokens, usage.cache_read_tokens, usage.output_tokens, usage.cost, usage.uncovered,
              usage.paid_from_included, usage.paid_from_purchased, usage.price_valid_from, usage.request_id,
              usage.api_request_id, usage.token_id, usage.streamed, usage.created_at);
      insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
        cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
      values (p_customer, (usage.created_at at time zone p_time_zone)::date, usage.model,
        coalesce(usage.token_id, '00000000-0000-0000-0000-000000000000'), 1, usage.input_tokens,
        usage.cache_write_5m_tokens, usage.cache_write_1h_tokens, usage.cache_read_tokens, usage.output_tokens, usage.cost,
        usage.uncovered, usage.paid_from_included, usage.paid_from_purchased)
      on conflict (customer_id, day, model, token_id) do update
      set calls = d.calls + excluded.calls, input_tokens = d.input_tokens + excluded.input_tokens,
          cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
          cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
          cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
          output_tokens = d.output_tokens + excluded.output_tokens, cost = d.cost + excluded.cost,
          uncovered = d.uncovered + excluded.uncovered, paid_from_included = d.paid_from_included + excluded.paid_from_included,
          paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased;
    end loop;
    foreach entry in array made.entries loop
      insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor,
                                   created_at)
      values (p_customer, entry.id, entry.sequence, entry.kind, entry.bucket, entry.amount, entry.balance_after, entry.month,
              entry.usage_id, entry.actor, entry.created_at);
    end loop;
    acc := made.accounts[1];
    update ai_account
    set included = acc.included, carried_over = acc.carried_over, purchased = acc.purchased, reserved = acc.reserved,
        month_usage = acc.month_usage, month_included_usage = acc.month_included_usage, ledger_sequence = acc.ledger_sequence
    where customer_id = p_customer;
  end if;
  if made.over_month is not null then
    perform app.ai_expire_carried_over(p_customer, moment);
  end if;
  if acc.month_usage > 0 and acc.month_usage >= acc.next_threshold_at then
    perform app.ai_announce_thresholds(p_customer);
  end if;
  if made.results is not null then
    foreach result in array made.results loop
      answered := answered || result.place;
      return next result;
    end loop;
  end if;
  if coalesce(cardinality(answered), 0) = cardinality(p_calls) then
    return;
  end if;
  for place in 1 .. cardinality(p_calls) loop
    continue when place = any (answered);
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
end $$;
