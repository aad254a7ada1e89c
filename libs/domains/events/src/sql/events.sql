-- The event log. A row is written in the transaction that causes it, without any lock that another one waits for; its position in
-- the customer's log is given after the commit. See docs/decisions/events.md.

-- Writes an event of a customer. p_reference is the id of the record as the API names it, p_record the record as its domain reads it;
-- one that is larger than 20 kB is left out.
create or replace function app.record_event(p_customer uuid, p_type text, p_reference json, p_record json) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
begin
  insert into event (customer_id, id, type, reference, record, created_at)
  values (p_customer, app.new_id(), p_type, p_reference,
    case when octet_length(p_record::text) <= 20000 then p_record end, present);
end $$;

-- Writes an event that only the operator's endpoints get. Without a customer it concerns the operator's own systems.
create or replace function app.record_operator_event(p_customer uuid, p_type text, p_reference json, p_record json) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
begin
  insert into event (customer_id, id, type, reference, record, operator_only, created_at)
  values (coalesce(p_customer, '00000000-0000-0000-0000-000000000000'), app.new_id(), p_type, p_reference,
    case when octet_length(p_record::text) <= 20000 then p_record end, true, present);
end $$;

-- Takes the records out of a customer's events of some types about records with these ids: what turned out to be another one's must not
-- be read in the log, nor sent, any longer. The events stay in their places. In the order of their ids, as app.sequence_events changes
-- them: neither waits for what the other has.
create or replace function app.forget_event_records(p_customer uuid, p_types text[], p_ids text[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  found_event uuid;
begin
  for found_event in
    select e.id from event e
    where e.customer_id = p_customer and e.type = any (p_types) and e.reference->>'id' = any (p_ids) and e.record is not null
    order by e.id
  loop
    update event e set record = null where e.customer_id = p_customer and e.id = found_event;
  end loop;
end $$;

-- Gives the customer's committed events that have none their positions, in the order of their ids, and makes their deliveries. The lock
-- is kept until the commit: so positions become visible in their order, and whoever has read up to one has missed none before
-- it. An event of a transaction that is still open gets a later position. Returns how many got one.
create or replace function app.sequence_events(p_customer uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  former bigint;
  place bigint;
  found_event record;
  ids uuid[];
  types text[];
  operators boolean[];
begin
  if not exists (select from event e where e.customer_id = p_customer and e.position is null) then
    return 0;
  end if;
  insert into event_position (customer_id) values (p_customer) on conflict do nothing;
  select p.last into former from event_position p where p.customer_id = p_customer for no key update;
  place := former;
  -- A statement of its own: it sees what was committed while it waited for the lock.
  for found_event in
    select e.id, e.type, e.operator_only from event e
    where e.customer_id = p_customer and e.position is null order by e.id limit 500
  loop
    place := place + 1;
    update event e set position = place where e.customer_id = p_customer and e.id = found_event.id;
    ids := ids || found_event.id;
    types := types || found_event.type;
    operators := operators || found_event.operator_only;
  end loop;
  if ids is null then
    return 0;
  end if;
  update event_position p set last = place where p.customer_id = p_customer;
  perform app.make_deliveries(p_customer, ids, types, operators, present);
  return place - former;
end $$;

-- Which of these customers, each given once, have an event behind the position given with each, or one without a position. For the
-- process whose requests wait for them: one look for all.
create or replace function app.customers_with_events(p_customers uuid[], p_positions bigint[]) returns setof uuid
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  -- Found by a binary search: thousands may wait.
  positions constant jsonb := jsonb_object(p_customers::text[], p_positions::text[]);
begin
  return query
  select p.customer_id from event_position p
  where p.customer_id = any (p_customers) and p.last > (positions->>p.customer_id::text)::bigint;
  return query
  select distinct e.customer_id from event e where e.customer_id = any (p_customers) and e.position is null;
end $$;
