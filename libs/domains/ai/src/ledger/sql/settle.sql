-- Phase two of a call that the upstream answered. Charges it and settles its reservation. All or nothing are written: the usage
-- row, the ledger entries (included credit first, then purchased), the balances, the reservation's end, and the reply that
-- is kept for the call's Idempotency-Key.
--
-- Charged is what the call cost, at most what was reserved for it. What it cost beyond that is recorded as uncovered.
-- A call is charged at most once. Its usage row has the reservation's id and takes its place; naming it again changes nothing
-- and tells what was charged.
--
-- A reservation that was given up before the answer came stays resolved. The call is charged late, in an entry of its own: from
-- credit that is free now, at most what was reserved then; the rest is uncovered. `late` says so. Its Idempotency-Key was free
-- meanwhile: if another call has it now, this one is not charged (outcome key_taken).
--
-- Serves many calls of many customers like ai_reserve: a call's owner is the place of its customer in p_customers, and the
-- calls of one customer stand together. A call without a row in the answer has no reservation.
create or replace function app.ai_settle(
  p_customers uuid[], p_calls app.ai_settlement[], p_time_zone text, p_not_after timestamptz, p_provider text)
returns setof app.ai_settlement_result
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moment timestamptz := app.now();
  present_month text := app.billing_month(moment, p_time_zone);
  locked record;
  accounts ai_account[] := '{}';
  owner integer;
  acc ai_account;
  call record;
  usage ai_usage;
  usages ai_usage[] := '{}';
  entry ai_ledger_entry;
  entries ai_ledger_entry[] := '{}';
  result app.ai_settlement_result;
  charge numeric;
  usable numeric;
  carried numeric;
  answers integer[] := '{}';
  named uuid[];
  late_ids uuid[] := '{}';
  late_owners uuid[] := '{}';
  over_month uuid[] := '{}';
  customer uuid;
  key_owners uuid[] := '{}';
  key_hashes bytea[] := '{}';
  key_effects uuid[] := '{}';
  secrets_keys text[] := '{}';
  replies bytea[] := '{}';
begin
  -- A database that was stopped for a while runs what it had received when it goes on; by then nobody waits for it.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;
  for locked in
    select c.place, a as account
    from unnest(p_customers) with ordinality as c (customer, place)
    join ai_account a on a.customer_id = c.customer
    order by c.place
    for no key update of a
  loop
    acc := locked.account;
    if acc.month < present_month then
      perform app.ai_roll_over(acc.customer_id, present_month, moment);
      select a.* into acc from ai_account a where a.customer_id = acc.customer_id;
    end if;
    accounts[locked.place] := acc;
  end loop;

  -- Once its caller has stopped waiting the call may have been given up, and its customer told that it is not charged.
  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;

  usage.provider := p_provider;
  usage.currency := 'NOK';
  entry.kind := 'usage';
  entry.actor := 'system';
  -- A statement of its own, so that it sees what was done to the reservations while the locks were waited for.
  for call in
    select u.*, h.*
    from unnest(p_calls) with ordinality
      as u (owner, id, input, write_5m, write_1h, read, output, upstream_id, streamed, reply_secrets_key, reply, place)
    -- OFFSET 0 keeps the planner from turning the look-up around, into reading all reservations.
    cross join lateral (
      select h.state, h.amount, h.month, h.included_limit, h.model, h.price_valid_from, h.key_hash,
             h.request_id, h.token_id,
             -- While a reservation is pending its key is its own, until another request may have it after a day.
             h.state = 'pending' and h.created_at > moment - interval '23 hours' as owns_key,
             (u.input * p.input + u.write_5m * p.cache_write_5m + u.write_1h * p.cache_write_1h
               + u.read * p.cache_read + u.output * p.output) * 0.000001 as cost
      from ai_reservation h
      join ai_model_price p on p.model = h.model and p.valid_from = h.price_valid_from
      where h.customer_id = p_customers[u.owner] and h.id = u.id and h.state <> 'settled_late'
      offset 0) h
  loop
    if owner is distinct from call.owner then
      if owner is not null then
        accounts[owner] := acc;
      end if;
      owner := call.owner;
      acc := accounts[owner];
      named := '{}';
      -- Who waited for the lock over the turn of the month belongs to the month that the account is in.
      usage.created_at := case when acc.month > present_month then (acc.month || '-01')::timestamp at time zone p_time_zone else moment end;
      entry.created_at := usage.created_at;
    end if;
    -- Named twice in one batch, it is charged once.
    continue when call.id = any (named);
    answers := answers || call.place::integer;
    result.place := call.place;
    result.outcome := 'settled';
    result.late := call.state <> 'pending';
    if call.key_hash is not null and call.owns_key then
      key_owners := key_owners || acc.customer_id;
      key_hashes := key_hashes || call.key_hash;
      key_effects := key_effects || call.id;
      secrets_keys := secrets_keys || call.reply_secrets_key;
      replies := replies || call.reply;
    elsif call.key_hash is not null then
      if not app.complete_idempotency_key(acc.customer_id, call.key_hash, call.id, call.reply_secrets_key, call.reply) then
        result.outcome := 'key_taken';
        result.charged := 0;
        result.uncovered := call.cost;
        result.remaining := acc.included + acc.purchased;
        return next result;
        continue;
      end if;
    end if;
    named := named || call.id;
    usable := greatest(least(acc.included, call.included_limit - acc.month_included_usage), 0);
    if result.late then
      charge := greatest(least(call.cost, call.amount, usable + acc.purchased - acc.reserved,
        (select s.total_limit from ai_settings s where s.customer_id = acc.customer_id) - acc.month_usage - acc.reserved), 0);
      late_ids := late_ids || call.id;
      late_owners := late_owners || acc.customer_id;
      carried := 0;
    else
      charge := least(call.cost, call.amount);
      acc.reserved := acc.reserved - call.amount;
      -- What the turn of the month left for the calls that had reserved it is theirs alone.
      carried := case when call.month < acc.month then least(charge, acc.carried_over) else 0 end;
      if call.month < acc.month and acc.customer_id <> all (over_month) then
        over_month := over_month || acc.customer_id;
      end if;
    end if;
    usable := greatest(usable - acc.carried_over, 0);
    usage.paid_from_purchased := least(charge - carried - least(charge - carried, usable), acc.purchased);
    -- Included credit beyond its limit only where the limit was lowered after the credit had been reserved.
    usage.paid_from_included := charge - usage.paid_from_purchased;
    usage.customer_id := acc.customer_id;
    usage.id := call.id;
    usage.model := call.model;
    usage.price_valid_from := call.price_valid_from;
    usage.input_tokens := call.input;
    usage.cache_write_5m_tokens := call.write_5m;
    usage.cache_write_1h_tokens := call.write_1h;
    usage.cache_read_tokens := call.read;
    usage.output_tokens := call.output;
    usage.cost := call.cost;
    usage.uncovered := call.cost - charge;
    usage.streamed := call.streamed;
    usage.request_id := call.upstream_id;
    usage.api_request_id := call.request_id;
    usage.token_id := call.token_id;
    usages := usages || usage;
    acc.month_usage := acc.month_usage + charge;
    entry.customer_id := acc.customer_id;
    entry.month := acc.month;
    entry.usage_id := call.id;
    -- A call that cost nothing leaves an entry all the same.
    if usage.paid_from_included > 0 or charge = 0 then
      acc.included := acc.included - usage.paid_from_included;
      acc.month_included_usage := acc.month_included_usage + usage.paid_from_included;
      acc.carried_over := least(acc.carried_over - carried, acc.included);
      acc.ledger_sequence := acc.ledger_sequence + 1;
      entry.id := app.new_id();
      entry.sequence := acc.ledger_sequence;
      entry.bucket := 'included';
      entry.amount := -usage.paid_from_included;
      entry.balance_after := acc.included;
      entries := entries || entry;
    end if;
    if usage.paid_from_purchased > 0 then
      acc.purchased := acc.purchased - usage.paid_from_purchased;
      acc.ledger_sequence := acc.ledger_sequence + 1;
      entry.id := app.new_id();
      entry.sequence := acc.ledger_sequence;
      entry.bucket := 'purchased';
      entry.amount := -usage.paid_from_purchased;
      entry.balance_after := acc.purchased;
      entries := entries || entry;
    end if;
    result.charged := charge;
    result.uncovered := usage.uncovered;
    result.remaining := acc.included + acc.purchased;
    return next result;
  end loop;

  if cardinality(key_hashes) > 0 then
    perform app.complete_idempotency_keys(key_owners, key_hashes, key_effects, secrets_keys, replies);
  end if;
  if cardinality(usages) > 0 then
    accounts[owner] := acc;
    perform app.ai_write_settlements(accounts, usages, entries, late_owners, late_ids, p_time_zone);
  end if;
  foreach customer in array over_month loop
    perform app.ai_expire_carried_over(customer, moment);
  end loop;
  if cardinality(answers) < cardinality(p_calls) then
    return query select * from app.ai_settled_before(p_customers, p_calls) s where s.place <> all (answers);
  end if;
end $$;

-- How the calls of a batch were charged that had been settled before, like ai_settle tells it.
create or replace function app.ai_settled_before(p_customers uuid[], p_calls app.ai_settlement[]) returns setof app.ai_settlement_result
language sql stable
as $$
  select c.place::integer, 'settled', u.cost - u.uncovered, u.uncovered, h.id is not null, a.included + a.purchased
  from unnest(p_calls) with ordinality
    as c (owner, id, input, write_5m, write_1h, read, output, upstream_id, streamed, reply_secrets_key, reply, place)
  join public.ai_usage u on u.customer_id = p_customers[c.owner] and u.id = c.id
  join public.ai_account a on a.customer_id = u.customer_id
  left join public.ai_reservation h on h.customer_id = u.customer_id and h.id = u.id
$$;

-- Writes what ai_settle has computed: the calls' usage rows in place of their reservations, the ledger entries, and the accounts
-- that they change, and the sums of the day. The reservations of p_late_ids had been given up, and stay.
create or replace function app.ai_write_settlements(
  p_accounts ai_account[], p_usages ai_usage[], p_entries ai_ledger_entry[], p_late_owners uuid[], p_late_ids uuid[],
  p_time_zone text)
returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  with gone as (
    -- Not by their state: the index of the pending ones, nearly empty whenever it is analyzed, would seem better than the
    -- primary key, and has an entry of every call that the customer has made since the last vacuum.
    delete from ai_reservation r using unnest(p_usages) u
    where r.customer_id = u.customer_id and r.id = u.id and r.id <> all (p_late_ids)),
  used as (
    insert into ai_usage select * from unnest(p_usages)),
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
    insert into ai_ledger_entry select * from unnest(p_entries))
  update ai_account a
  set included = s.included, carried_over = s.carried_over, purchased = s.purchased, reserved = s.reserved,
      month_usage = s.month_usage, month_included_usage = s.month_included_usage, ledger_sequence = s.ledger_sequence
  from unnest(p_accounts) s
  where a.customer_id = s.customer_id and a.ledger_sequence <> s.ledger_sequence;
  if cardinality(p_late_ids) > 0 then
    update ai_reservation r set state = 'settled_late' from unnest(p_late_owners, p_late_ids) as l (customer, id)
    where r.customer_id = l.customer and r.id = l.id;
  end if;
end $$;

-- ai_settle for the calls of one customer, one after another: the reference for what a batch over many customers must do, and
-- what runs on a cluster, on the node that has the customer's rows. `owner` of the calls is not used.
create or replace function app.ai_settle_for(
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
end $$;

-- Adds calls to the sums of their day, model and token. Calls without a token count under the nil UUID.
create or replace function app.ai_add_to_day(p_customer uuid, p_calls ai_usage_day) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
    cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
  values (p_customer, p_calls.day, p_calls.model,
    coalesce(p_calls.token_id, '00000000-0000-0000-0000-000000000000'), p_calls.calls, p_calls.input_tokens,
    p_calls.cache_write_5m_tokens, p_calls.cache_write_1h_tokens, p_calls.cache_read_tokens, p_calls.output_tokens,
    p_calls.cost, p_calls.uncovered, p_calls.paid_from_included, p_calls.paid_from_purchased)
  on conflict (customer_id, day, model, token_id) do update
  set calls = d.calls + excluded.calls, input_tokens = d.input_tokens + excluded.input_tokens,
      cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens, cost = d.cost + excluded.cost,
      uncovered = d.uncovered + excluded.uncovered, paid_from_included = d.paid_from_included + excluded.paid_from_included,
      paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased;
end $$;
