-- Phase two of a call that is not charged. Resolves its reservation: the reserved credit becomes free again or, where it was
-- included credit of a month that has ended since, expires.
--
-- Each call says how it ended: 'released' when the upstream refused or failed, 'outcome_unknown' when it may have answered.
-- A reservation is resolved at most once. Naming it again changes nothing and tells how it ended. A call without a row in
-- the answer has no reservation.
--
-- A call whose reply was lost is named by the seed of its reservation instead of its id.
--
-- Serves many calls of many customers like ai_reserve: a call's owner is the place of its customer in p_customers.
create or replace function app.ai_release(p_customers uuid[], p_calls app.ai_release_request[])
returns table (place integer, outcome text)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moment timestamptz := app.now();
  call record;
  customer uuid;
  earlier integer;
  answers integer := 0;
  places integer[] := '{}';
  ids uuid[] := '{}';
  owners uuid[] := '{}';
  amounts numeric[] := '{}';
  over_month uuid[] := '{}';
begin
  perform from unnest(p_customers) with ordinality as c (customer, place)
  join ai_account a on a.customer_id = c.customer order by c.place for no key update of a;
  for call in
    select c.place, c.id is null as by_seed, h.*
    from unnest(p_calls) with ordinality as c (owner, id, seed, outcome, reason, place)
    -- OFFSET 0 keeps the planner from turning the look-up around, into reading all reservations.
    cross join lateral (
      select h.customer_id, h.id, h.state, h.amount, h.key_hash, h.month < a.month as over_month
      from ai_reservation h
      join ai_account a on a.customer_id = h.customer_id
      where h.customer_id = p_customers[c.owner] and h.id = coalesce(c.id, app.ai_reservation_of(p_customers[c.owner], c.seed))
      offset 0) h
  loop
    place := call.place;
    outcome := call.state;
    if call.state = 'pending' then
      -- Named twice in one batch, it is released once: the second time it has ended, and no seed finds it.
      earlier := array_position(ids, call.id);
      continue when earlier is not null and call.by_seed;
      outcome := p_calls[coalesce(places[earlier], place)].outcome;
      if earlier is null then
        places := places || place;
        ids := ids || call.id;
        owners := owners || call.customer_id;
        amounts := amounts || call.amount;
        if call.key_hash is not null then
          perform app.free_idempotency_key(call.customer_id, call.key_hash, call.id);
        end if;
        if call.over_month and call.customer_id <> all (over_month) then
          over_month := over_month || call.customer_id;
        end if;
      end if;
    end if;
    answers := answers + 1;
    return next;
  end loop;
  if cardinality(places) > 0 then
    with gone as (
      update ai_reservation h set state = (p_calls[u.place]).outcome, reason = (p_calls[u.place]).reason, resolved_at = moment
      from unnest(owners, ids, places) as u (customer, id, place)
      where h.customer_id = u.customer and h.id = u.id)
    update ai_account a set reserved = a.reserved - f.amount
    from (select u.customer, sum(u.amount) as amount from unnest(owners, amounts) as u (customer, amount) group by u.customer) f
    where a.customer_id = f.customer;
  end if;
  foreach customer in array over_month loop
    perform app.ai_expire_carried_over(customer, moment);
  end loop;
  if answers < cardinality(p_calls) then
    return query
    select c.place::integer, 'settled'
    from unnest(p_calls) with ordinality as c (owner, id, seed, outcome, reason, place)
    join ai_usage u on u.customer_id = p_customers[c.owner] and u.id = c.id
    where not exists (select from ai_reservation h where h.customer_id = u.customer_id and h.id = u.id);
  end if;
end $$;

-- ai_release for the calls of one customer, one after another: the reference for what a batch over many customers must do, and
-- what runs on a cluster, on the node that has the customer's rows. `owner` of the calls is not used.
create or replace function app.ai_release_for(p_customer uuid, p_calls app.ai_release_request[])
returns table (place integer, outcome text)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  moment timestamptz := app.now();
  acc ai_account;
  call app.ai_release_request;
  reservation ai_reservation;
  reservation_id uuid;
  over_month boolean := false;
begin
  place := 0;
  select * into acc from ai_account where customer_id = p_customer for no key update;
  foreach call in array p_calls loop
    place := place + 1;
    reservation_id := coalesce(call.id, app.ai_reservation_of(p_customer, call.seed));
    select * into reservation from ai_reservation where customer_id = p_customer and id = reservation_id;
    if not found then
      perform from ai_usage where customer_id = p_customer and id = reservation_id;
      if found then
        outcome := 'settled';
        return next;
      end if;
      continue;
    end if;
    outcome := reservation.state;
    if reservation.state = 'pending' then
      outcome := call.outcome;
      update ai_reservation set state = call.outcome, reason = call.reason, resolved_at = moment
      where customer_id = p_customer and id = reservation_id;
      update ai_account set reserved = reserved - reservation.amount where customer_id = p_customer;
      over_month := over_month or reservation.month < acc.month;
      if reservation.key_hash is not null then
        perform app.free_idempotency_key(p_customer, reservation.key_hash, reservation_id);
      end if;
    end if;
    return next;
  end loop;
  if over_month then
    perform app.ai_expire_carried_over(p_customer, moment);
  end if;
end $$;
