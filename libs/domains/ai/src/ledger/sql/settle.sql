-- Phase two of a call that the upstream answered. Charges it and settles its reservation. All or nothing are written: the usage
-- row, the ledger entries (included credit first, then purchased), the balances, and the reservation's end.
--
-- Charged is what the call cost, at most what was reserved for it. What it cost beyond that is recorded as uncovered.
-- A call is charged at most once. Its usage row has the reservation's id and takes its place; naming it again changes nothing
-- and tells what was charged.
--
-- A reservation that was given up before the answer came stays resolved. The call is charged late, in an entry of its own: from
-- credit that is free now, at most what was reserved then; the rest is uncovered. `late` says so.
--
-- Serves many calls of many customers like ai_reserve: a call's owner is the place of its customer in p_customers. A call
-- without a row in the answer has no reservation.
create function app.ai_settle(
  p_customers uuid[], p_calls app.ai_settlement[], p_time_zone text, p_not_after timestamptz, p_provider text)
returns table (place integer, outcome text, uncovered numeric, late boolean)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moment timestamptz := app.now();
  present_month text := app.billing_month(moment, p_time_zone);
  acc record;
  call record;
  customer uuid;
  owner integer;
  charge numeric;
  carried numeric;
  usable numeric;
  from_included numeric;
  from_purchased numeric;
  months text[] := '{}';
  includeds numeric[] := '{}';
  carried_overs numeric[] := '{}';
  purchaseds numeric[] := '{}';
  reserveds numeric[] := '{}';
  usages numeric[] := '{}';
  included_usages numeric[] := '{}';
  sequences bigint[] := '{}';
  places integer[] := '{}';
  settled uuid[] := '{}';
  settled_owners uuid[] := '{}';
  late_ids uuid[] := '{}';
  late_owners uuid[] := '{}';
  over_month uuid[] := '{}';
  models text[] := '{}';
  request_ids text[] := '{}';
  token_ids uuid[] := '{}';
  costs numeric[] := '{}';
  uncovereds numeric[] := '{}';
  entry_places integer[] := '{}';
  entry_sequences bigint[] := '{}';
  entry_buckets text[] := '{}';
  entry_amounts numeric[] := '{}';
  entry_balances numeric[] := '{}';
begin
  -- A database that was stopped for a while runs what it had received when it goes on; by then nobody waits for it.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  for acc in
    select c.place, c.customer, a.month, a.included, a.carried_over, a.purchased, a.reserved, a.month_usage,
           a.month_included_usage, a.ledger_sequence
    from unnest(p_customers) with ordinality as c (customer, place)
    join ai_account a on a.customer_id = c.customer
    order by c.place
    for no key update of a
  loop
    if acc.month < present_month then
      perform app.ai_roll_over(acc.customer, present_month, moment);
      select acc.place, acc.customer, a.month, a.included, a.carried_over, a.purchased, a.reserved, a.month_usage,
             a.month_included_usage, a.ledger_sequence into acc
      from ai_account a where a.customer_id = acc.customer;
    end if;
    months[acc.place] := acc.month;
    includeds[acc.place] := acc.included;
    carried_overs[acc.place] := acc.carried_over;
    purchaseds[acc.place] := acc.purchased;
    reserveds[acc.place] := acc.reserved;
    usages[acc.place] := acc.month_usage;
    included_usages[acc.place] := acc.month_included_usage;
    sequences[acc.place] := acc.ledger_sequence;
  end loop;

  -- Once its caller has stopped waiting the call may have been given up, and its customer told that it is not charged.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;

  -- A statement of its own, so that it sees what was done to the reservations while the locks were waited for.
  for call in
    select u.place, u.owner, h.*,
           (u.input * h.input + u.write_5m * h.cache_write_5m + u.write_1h * h.cache_write_1h
             + u.read * h.cache_read + u.output * h.output) * 0.000001 as cost
    from unnest(p_calls) with ordinality as u (owner, id, input, write_5m, write_1h, read, output, upstream_id, place)
    -- OFFSET 0 keeps the planner from turning the look-up around, into reading all reservations.
    cross join lateral (
      select h.id, h.state, h.amount, h.month, h.included_limit, h.model, h.request_id, h.token_id,
             p.input, p.cache_write_5m, p.cache_write_1h, p.cache_read, p.output
      from ai_reservation h
      join ai_model_price p on p.model = h.model and p.valid_from = h.price_valid_from
      where h.customer_id = p_customers[u.owner] and h.id = u.id and h.state <> 'settled_late'
      offset 0) h
  loop
    place := call.place;
    owner := call.owner;
    outcome := 'settled';
    late := call.state <> 'pending';
    -- Named twice in one batch, it is charged once.
    continue when (p_customers[owner], call.id) in (select * from unnest(settled_owners || late_owners, settled || late_ids));
    usable := greatest(least(includeds[owner], call.included_limit - included_usages[owner]), 0);
    if late then
      charge := greatest(least(call.cost, call.amount, usable + purchaseds[owner] - reserveds[owner],
        (select s.total_limit from ai_settings s where s.customer_id = p_customers[owner]) - usages[owner] - reserveds[owner]), 0);
      late_ids := late_ids || call.id;
      late_owners := late_owners || p_customers[owner];
      carried := 0;
    else
      charge := least(call.cost, call.amount);
      reserveds[owner] := reserveds[owner] - call.amount;
      settled := settled || call.id;
      settled_owners := settled_owners || p_customers[owner];
      -- What the turn of the month left for the calls that had reserved it is theirs alone.
      carried := case when call.month < months[owner] then least(charge, carried_overs[owner]) else 0 end;
      if call.month < months[owner] and p_customers[owner] <> all (over_month) then
        over_month := over_month || p_customers[owner];
      end if;
    end if;
    usable := greatest(usable - carried_overs[owner], 0);
    from_included := carried + least(charge - carried, usable);
    from_purchased := least(charge - from_included, purchaseds[owner]);
    -- Included credit beyond its limit only where the limit was lowered after the credit had been reserved.
    from_included := charge - from_purchased;
    uncovered := call.cost - charge;
    usages[owner] := usages[owner] + charge;
    places := places || place;
    models := models || call.model;
    request_ids := request_ids || call.request_id;
    token_ids := token_ids || call.token_id;
    costs := costs || call.cost;
    uncovereds := uncovereds || uncovered;
    -- A call that cost nothing leaves an entry all the same.
    if from_included > 0 or charge = 0 then
      includeds[owner] := includeds[owner] - from_included;
      included_usages[owner] := included_usages[owner] + from_included;
      carried_overs[owner] := least(carried_overs[owner] - carried, includeds[owner]);
      sequences[owner] := sequences[owner] + 1;
      entry_places := entry_places || place;
      entry_sequences := entry_sequences || sequences[owner];
      entry_buckets := entry_buckets || 'included'::text;
      entry_amounts := entry_amounts || -from_included;
      entry_balances := entry_balances || includeds[owner];
    end if;
    if from_purchased > 0 then
      purchaseds[owner] := purchaseds[owner] - from_purchased;
      sequences[owner] := sequences[owner] + 1;
      entry_places := entry_places || place;
      entry_sequences := entry_sequences || sequences[owner];
      entry_buckets := entry_buckets || 'purchased'::text;
      entry_amounts := entry_amounts || -from_purchased;
      entry_balances := entry_balances || purchaseds[owner];
    end if;
    return next;
  end loop;

  if cardinality(places) > 0 then
    with gone as (
      delete from ai_reservation r using unnest(settled_owners, settled) as s (customer, id)
      where r.customer_id = s.customer and r.id = s.id),
    used as (
      insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
                            cache_read_tokens, output_tokens, cost, uncovered, request_id, api_request_id, token_id, created_at)
      select p_customers[(p_calls[u.place]).owner], (p_calls[u.place]).id, p_provider, u.model, (p_calls[u.place]).input, (p_calls[u.place]).write_5m,
             (p_calls[u.place]).write_1h, (p_calls[u.place]).read, (p_calls[u.place]).output, u.cost, u.uncovered, (p_calls[u.place]).upstream_id,
             u.request_id, u.token_id, moment
      from unnest(places, models, costs, uncovereds, request_ids, token_ids)
        as u (place, model, cost, uncovered, request_id, token_id)),
    booked as (
      insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor, created_at)
      select p_customers[(p_calls[e.place]).owner], e.sequence, 'usage', e.bucket, e.amount, e.balance, months[(p_calls[e.place]).owner],
             (p_calls[e.place]).id, 'system', moment
      from unnest(entry_places, entry_sequences, entry_buckets, entry_amounts, entry_balances)
        as e (place, sequence, bucket, amount, balance))
    update ai_account a
    set included = s.included, carried_over = s.carried_over, purchased = s.purchased, reserved = s.reserved,
        month_usage = s.month_usage, month_included_usage = s.month_included_usage, ledger_sequence = s.sequence
    from unnest(p_customers, includeds, carried_overs, purchaseds, reserveds, usages, included_usages, sequences)
      as s (customer, included, carried_over, purchased, reserved, month_usage, month_included_usage, sequence)
    where a.customer_id = s.customer and a.ledger_sequence <> s.sequence;
  end if;
  if cardinality(late_ids) > 0 then
    update ai_reservation r set state = 'settled_late' from unnest(late_owners, late_ids) as l (customer, id)
    where r.customer_id = l.customer and r.id = l.id;
  end if;
  foreach customer in array over_month loop
    perform app.ai_expire_carried_over(customer, moment);
  end loop;
  if cardinality(places) < cardinality(p_calls) then
    return query
    select c.place::integer, 'settled', u.uncovered, h.id is not null
    from (select p.owner, p.id, p.place from unnest(p_calls) with ordinality
      as p (owner, id, input, write_5m, write_1h, read, output, upstream_id, place)) as c
    join ai_usage u on u.customer_id = p_customers[c.owner] and u.id = c.id
    left join ai_reservation h on h.customer_id = u.customer_id and h.id = u.id
    where c.place <> all (places);
  end if;
end $$
