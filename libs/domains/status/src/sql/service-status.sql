-- Whether a status event is in progress at a moment: from its start to its end.
create or replace function app.status_event_runs(p_starts timestamptz, p_ends timestamptz, p_moment timestamptz) returns boolean
language sql immutable
as $$
  select p_starts <= p_moment and (p_ends is null or p_ends > p_moment)
$$;

-- The place of a status among STATUS_LEVELS: the worse, the higher.
create or replace function app.status_rank(p_status text) returns integer
language sql immutable
as $$
  select pg_catalog.array_position(array['operational', 'maintenance', 'degraded', 'outage'], p_status)
$$;

-- A service with its status, as its customer reads it: the worst level of the status events in progress, and up to 20 (EVENTS_SHOWN)
-- of its events, those in progress first. ServiceStatusService reads lists of the same.
create or replace function app.service_status_record(p_customer uuid, p_service integer) returns json
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  level text;
  events json;
begin
  select e.status into level from status_event e
  where e.customer_id = p_customer and e.service_id = p_service
    and app.status_event_runs(e.starts_at, e.ends_at, present)
  order by app.status_rank(e.status) desc limit 1;
  select json_agg(json_build_object('id', s.id, 'status', s.status, 'message', s.message, 'startsAt', app.json_time(s.starts_at),
    'endsAt', app.json_time(s.ends_at), 'running', s.running) order by s.running desc, s.starts_at desc, s.id desc) into events
  from (
    select e.*, app.status_event_runs(e.starts_at, e.ends_at, present) as running from status_event e
    where e.customer_id = p_customer and e.service_id = p_service
    order by running desc, e.starts_at desc, e.id desc limit 20) s;
  return (
    select json_build_object('id', v.id, 'type', v.type, 'name', v.name, 'status', coalesce(level, 'operational'),
      'events', coalesce(events, '[]'))
    from customer_service v where v.customer_id = p_customer and v.id = p_service);
end $$;

-- Writes an event about a service.
create or replace function app.record_service_event(p_customer uuid, p_type text, p_service integer) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform app.record_event(
    p_customer, p_type, json_build_object('service_id', p_service), app.service_status_record(p_customer, p_service));
end $$;

-- Tells of status events of a customer that have begun and are in progress, once. Returns how many.
create or replace function app.announce_begun_status_events(p_customer uuid) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  begun status_event;
  told integer := 0;
begin
  for begun in
    select e.* from status_event e
    where e.customer_id = p_customer and not e.begin_told and app.status_event_runs(e.starts_at, e.ends_at, present)
    order by e.starts_at, e.id for no key update
  loop
    update status_event e set begin_told = true where e.customer_id = p_customer and e.id = begun.id;
    perform app.record_service_event(p_customer, 'service.status_changed', begun.service_id);
    told := told + 1;
  end loop;
  return told;
end $$;
