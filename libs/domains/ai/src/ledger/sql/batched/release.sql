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
create function app.ai_release(p_customers uuid[], p_calls app.ai_release_request[])
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
end $$
