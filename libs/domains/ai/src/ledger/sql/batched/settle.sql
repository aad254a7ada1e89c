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
create function app.ai_settle(
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
end $$
