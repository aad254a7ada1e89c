-- Phase two of a call that is not charged. Resolves its reservation: the reserved credit becomes free again or, where it was
-- included credit of a month that has ended since, expires.
--
-- Each call says how it ended: 'released' when the upstream refused or failed, 'outcome_unknown' when it may have answered,
-- 'not_charged' when it answered and its customer is told that nothing is charged: from then on no settlement charges it, however
-- late one comes.
-- A reservation is resolved at most once. Naming it again changes nothing and returns its end; but one that ended without
-- a charge is 'not_charged' for good when that is said. A call without a row in the answer has no reservation.
--
-- A call whose reply was lost is named by the seed of its reservation instead of its id.
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
    elsif call.outcome = 'not_charged' and reservation.state in ('released', 'outcome_unknown') then
      outcome := 'not_charged';
      update ai_reservation set state = 'not_charged', reason = call.reason
      where customer_id = p_customer and id = reservation_id;
    end if;
    return next;
  end loop;
  if over_month then
    perform app.ai_expire_carried_over(p_customer, moment);
  end if;
end $$;

-- For many calls of many customers, one customer after another in their order, so that two batches never deadlock on the
-- accounts' locks. A call's owner is the place of its customer in p_customers, and the calls of one customer stand together.
create or replace function app.ai_release(p_customers uuid[], p_calls app.ai_release_request[])
returns table (place integer, outcome text)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  first integer;
  last integer := 0;
begin
  for customer in 1 .. cardinality(p_customers) loop
    first := last + 1;
    while (p_calls[last + 1]).owner = customer loop
      last := last + 1;
    end loop;
    return query
    select r.place + first - 1, r.outcome from app.ai_release_for(p_customers[customer], p_calls[first:last]) r;
  end loop;
end $$;

-- The pending reservation that was asked for with p_seed: app.new_id kept the last eight bytes of it. For a caller whose reply
-- was lost, who does not know the id.
create or replace function app.ai_reservation_of(p_customer uuid, p_seed uuid) returns uuid
language sql stable
as $$
  select r.id from public.ai_reservation r
  where r.customer_id = p_customer and r.state = 'pending' and right(r.id::text, 17) = right(p_seed::text, 17)
$$;
