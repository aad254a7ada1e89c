-- ai_release for the calls of one customer, one after another: the reference for what a batch over many customers must do, and
-- what runs on a cluster, on the node that has the customer's rows. `owner` of the calls is not used.
create function app.ai_release_for(p_customer uuid, p_calls app.ai_release_request[])
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
end $$
