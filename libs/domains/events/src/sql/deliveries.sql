-- Deliveries of events to endpoints. A worker delivers those of one endpoint one after another: that is a run, a job of the queue.

-- Queues a run of an endpoint, unless one waits or is in progress. The names are those of webhook-queue.service.ts.
create or replace function app.queue_webhook_run(p_customer uuid, p_endpoint uuid, p_failing boolean) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform app.enqueue('webhooks.deliver', p_customer || '/' || p_endpoint, case when p_failing then 'failing' end);
end $$;

-- Makes the deliveries of events to the endpoints that want them: the customer's own, and the operator's, whose owner is the nil UUID.
-- The events' ids, types, and whether only the operator gets them, in the order of their positions. Decided when events get their positions,
-- in the same transaction and under its lock. For an endpoint that is disabled, or whose owner is deactivated or has too much waiting, they
-- are missed: they can be redelivered.
create or replace function app.make_deliveries(
  p_customer uuid, p_events uuid[], p_types text[], p_operator_only boolean[], p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- The time of the call, not of the transaction's begin: deliveries of later events are due later.
  present constant timestamptz := p_now + (clock_timestamp() - now());
  owner uuid;
  shut_out constant boolean := exists (select from customer c where c.id = p_customer and not c.active);
  endpoint webhook_endpoint;
  sizes integer[];
  missed boolean;
  added boolean;
begin
  -- One owner after the other: on a cluster each has its rows on another node.
  foreach owner in array case when p_customer = nobody then array[nobody] else array[p_customer, nobody] end loop
    -- In one order: transactions of two customers queue runs of the operator's endpoints.
    for endpoint in select w.* from webhook_endpoint w where w.customer_id = owner order by w.id loop
      if sizes is null then
        select array_agg(coalesce(octet_length(e.record::text), 0) order by e.id) into sizes from event e
        where e.customer_id = p_customer and e.id = any (p_events);
      end if;
      missed := endpoint.disabled_at is not null or endpoint.queue_full or (shut_out and owner <> nobody);
      added := false;
      -- One by one: under row level security a cluster refuses to insert a list.
      for place in 1 .. cardinality(p_events) loop
        continue when (p_operator_only[place] and owner <> nobody)
          or (endpoint.event_types is not null and p_types[place] <> all (endpoint.event_types));
        insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, bytes, state,
          queued_at, next_attempt_at, created_at)
        values (owner, app.new_id(), endpoint.id, p_customer, p_events[place], p_types[place], sizes[place],
          case when missed then 'missed' else 'pending' end, present, case when not missed then present end, present);
        added := true;
      end loop;
      if added and not missed then
        perform app.queue_webhook_run(owner, endpoint.id, endpoint.failing_since is not null);
      end if;
    end loop;
  end loop;
end $$;

-- Misses what has waited longest for an endpoint that takes nothing any more, some thousands at most: a full queue would take longer than a
-- statement may. Returns how many. The others are those of miss_webhook_deliveries. queued_at tells when they were missed.
create or replace function app.miss_endpoint_deliveries(p_customer uuid, p_endpoint uuid) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  ids constant uuid[] := array(
    select d.id from webhook_delivery d where d.customer_id = p_customer and d.endpoint_id = p_endpoint and d.state = 'pending'
    order by d.id limit 5000);
begin
  update webhook_delivery d set state = 'missed', queued_at = present, next_attempt_at = null
  where d.customer_id = p_customer and d.id = any (ids) and d.state = 'pending';
  return cardinality(ids);
end $$;

-- Misses what waits for a customer's endpoint that takes nothing any more: it was disabled or deleted, or the customer deactivated. Returns
-- how many. The endpoint is locked first, as by all that changes several deliveries.
create or replace function app.miss_webhook_deliveries(p_customer uuid, p_endpoint uuid) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from webhook_endpoint e where e.customer_id = p_customer and e.id = p_endpoint for no key update;
  -- Statements of their own: it may have been enabled, or the customer activated, meanwhile.
  if exists (select from webhook_endpoint e where e.customer_id = p_customer and e.id = p_endpoint and e.disabled_at is null)
     and not exists (select from customer c where c.id = p_customer and not c.active) then
    return 0;
  end if;
  return app.miss_endpoint_deliveries(p_customer, p_endpoint);
end $$;

-- Stores the results of attempts at an endpoint's deliveries, sent to p_url. Per delivery: the status, or why there is none; whether it was
-- accepted; seconds until the next attempt. A delivery is given up three days after it was queued. p_last: whether the last attempt was accepted.
-- The endpoint is disabled if it answered 410 (p_gone), or if all attempts have failed for five days: then the customer has an event of
-- that, and what waits is missed. disabled: the reason why, or null.
-- more: whether more is due by now. Results of an address that the endpoint no longer has, and of deliveries that no longer wait, are not
-- stored: the former are due at the new address. Nor are failures of deliveries that have another time of queueing than p_queued: they were
-- queued again during the attempt, and are due at once.
create or replace function app.record_webhook_attempts(
  p_customer uuid, p_endpoint uuid, p_url text, p_ids uuid[], p_queued timestamptz[], p_statuses integer[], p_errors text[],
  p_accepted boolean[], p_waits integer[], p_last boolean, p_gone boolean)
returns table (disabled text, more boolean)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  five_days constant timestamptz := present - interval '5 days';
  endpoint webhook_endpoint;
  one uuid;
  queued timestamptz;
  accepted boolean;
  next_time timestamptz;
  oldest timestamptz;
  status integer;
  error text;
  since timestamptz;
  reason text;
  tried integer;
begin
  -- First of all, as whoever changes an endpoint does, so that neither waits for the other's deliveries.
  select e.* into endpoint from webhook_endpoint e where e.customer_id = p_customer and e.id = p_endpoint for no key update;
  more := found and endpoint.disabled_at is null;
  if not more or endpoint.url <> p_url then
    return next;
    return;
  end if;
  -- One by one: under row level security a cluster refuses to change a list.
  for place in 1 .. cardinality(p_ids) loop
    one := p_ids[place];
    queued := p_queued[place];
    accepted := p_accepted[place];
    next_time := present + make_interval(secs => p_waits[place]);
    oldest := next_time - interval '3 days';
    status := p_statuses[place];
    error := p_errors[place];
    update webhook_delivery d
    set attempts = d.attempts + 1, last_attempt_at = present, last_status = status, last_error = error,
      state = case when accepted then 'delivered' when d.queued_at <= oldest then 'failed' else d.state end,
      delivered_at = case when accepted then present else d.delivered_at end,
      next_attempt_at = case when not accepted and d.queued_at > oldest then next_time end
    where d.customer_id = p_customer and d.id = one and d.state = 'pending' and (accepted or d.queued_at = queued);
  end loop;
  -- Not each time: the endpoint's row would be written as often as its deliveries.
  if endpoint.last_attempt_at is null or endpoint.last_attempt_at not between present - interval '10 seconds' and present then
    update webhook_endpoint e set last_attempt_at = present where e.customer_id = p_customer and e.id = p_endpoint;
  end if;
  more := exists (
    select from webhook_delivery d where d.customer_id = p_customer and d.endpoint_id = p_endpoint and d.state = 'pending'
      and d.next_attempt_at <= present);
  if p_last and endpoint.failing_since is null then
    return next;
    return;
  end if;
  since := case when p_last then null when true = any (p_accepted) then present else coalesce(endpoint.failing_since, present) end;
  -- After a long silence of events one failed attempt does not disable it: a repetition must have failed, too, or an attempt shortly
  -- before it, as a long queue has no repetitions yet.
  select max(d.attempts) into tried from webhook_delivery d where d.customer_id = p_customer and d.id = any (p_ids);
  reason := case when p_gone then 'gone'
    when since <= five_days and (tried > 1 or endpoint.last_attempt_at >= present - interval '1 hour') then 'failing' end;
  if reason is null and since is not distinct from endpoint.failing_since then
    return next;
    return;
  end if;
  update webhook_endpoint e
  set failing_since = since, disabled_at = case when reason is not null then present end, disabled_reason = reason,
    updated_at = case when reason is null then e.updated_at else present end
  where e.customer_id = p_customer and e.id = p_endpoint
  returning e.* into endpoint;
  if reason is null then
    return next;
    return;
  end if;
  perform app.miss_endpoint_deliveries(p_customer, p_endpoint);
  perform app.record_event(p_customer, 'webhook.endpoint_disabled', json_build_object('id', p_endpoint),
    json_build_object('id', endpoint.id, 'url', endpoint.url, 'eventTypes', endpoint.event_types, 'description', endpoint.description,
      'scopes', endpoint.scopes, 'failingSince', app.json_time(endpoint.failing_since), 'disabledAt', app.json_time(present), 'disabledReason', reason,
      'createdAt', app.json_time(endpoint.created_at), 'updatedAt', app.json_time(present)));
  disabled := reason;
  more := false;
  return next;
end $$;

-- Queues a delivery of a test event to an endpoint. outcome: queued, unknown, disabled, too_many (p_most within an hour). seconds_left: of
-- too_many, until there is room for one.
create or replace function app.test_webhook_endpoint(p_customer uuid, p_endpoint uuid, p_most integer, p_actor text)
returns table (outcome text, seconds_left integer, delivery webhook_delivery)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  hour constant uuid := app.first_id(present - interval '1 hour');
  disabled boolean;
  oldest timestamptz;
begin
  -- Makes the count below exact: it is of all the customer's endpoints.
  perform pg_advisory_xact_lock(hashtextextended('webhook tests of ' || p_customer, 0));
  select e.disabled_at is not null into disabled from webhook_endpoint e where e.customer_id = p_customer and e.id = p_endpoint for update;
  outcome := case when disabled is null then 'unknown' when disabled then 'disabled' end;
  if outcome is null then
    -- Of the last p_most within the hour: there is room once it is an hour old.
    select d.created_at into oldest from webhook_delivery d
    where d.customer_id = p_customer and d.event_type = 'webhook.test' and d.id >= hour
    order by d.id desc offset p_most - 1 limit 1;
    if found then
      outcome := 'too_many';
      seconds_left := greatest(1, ceil(extract(epoch from oldest + interval '1 hour' - present)));
    end if;
  end if;
  if outcome is null then
    insert into webhook_delivery as d
      (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, bytes, state, queued_at, next_attempt_at, created_at)
    values
      (p_customer, app.new_id(), p_endpoint, p_customer, app.new_id(), 'webhook.test', 0, 'pending', present, present, present)
    returning d.* into delivery;
    insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    values (p_customer, app.new_id(), p_actor, 'webhook.test', jsonb_build_object('endpoint_id', p_endpoint), present);
    outcome := 'queued';
  end if;
  return next;
end $$;

-- Queues a delivery again, whatever its state. outcome: queued, unknown, disabled (its endpoint is), deleted (its endpoint is), full (as much
-- waits for the owner's endpoints as may, and this one does not).
create or replace function app.redeliver_webhook(p_customer uuid, p_id uuid, p_actor text)
returns table (outcome text, delivery webhook_delivery)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  endpoint webhook_endpoint;
begin
  select d.* into delivery from webhook_delivery d where d.customer_id = p_customer and d.id = p_id for update;
  if not found then
    outcome := 'unknown';
    return next;
    return;
  end if;
  select e.* into endpoint from webhook_endpoint e where e.customer_id = p_customer and e.id = delivery.endpoint_id;
  outcome := case when not found then 'deleted' when endpoint.disabled_at is not null then 'disabled'
    when endpoint.queue_full and delivery.state <> 'pending' then 'full' else 'queued' end;
  if outcome = 'queued' then
    update webhook_delivery d set state = 'pending', attempts = 0, queued_at = present, next_attempt_at = present
    where d.customer_id = p_customer and d.id = p_id
    returning d.* into delivery;
    insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    values (p_customer, app.new_id(), p_actor, 'webhook.redeliver', jsonb_build_object('delivery_id', p_id), present);
  end if;
  return next;
end $$;

-- Queues an endpoint's deliveries again that have failed or were missed since a time, also if they were made before, and also those of which
-- only an attempt has failed, whose next one may be due in hours, and those that have not been tried and are due in the future, since the
-- database's clock was ahead when they were queued: the oldest p_most of them. While as much waits for the owner's endpoints as may, only of
-- those that wait already. outcome: queued, unknown, disabled, full (none of those, and others are left).
-- queued: their number. more: whether others are left, for another call, perhaps only when less waits.
create or replace function app.redeliver_webhooks_since(
  p_customer uuid, p_endpoint uuid, p_since timestamptz, p_most integer, p_actor text)
returns table (outcome text, queued integer, more boolean)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  endpoint webhook_endpoint;
  ids uuid[];
begin
  select e.* into endpoint from webhook_endpoint e where e.customer_id = p_customer and e.id = p_endpoint for update;
  outcome := case when not found then 'unknown' when endpoint.disabled_at is not null then 'disabled' else 'queued' end;
  queued := 0;
  more := false;
  if outcome = 'queued' then
    ids := array(
      select d.id from webhook_delivery d
      where d.customer_id = p_customer and d.endpoint_id = p_endpoint
        and ((d.state = 'pending' and d.attempts > 0 and d.last_attempt_at >= p_since)
          or (d.state = 'pending' and d.attempts = 0 and d.next_attempt_at > present and d.queued_at >= p_since)
          or (not endpoint.queue_full
            and ((d.state = 'failed' and d.last_attempt_at >= p_since) or (d.state = 'missed' and d.queued_at >= p_since))))
      order by d.id limit p_most);
    update webhook_delivery d set state = 'pending', attempts = 0, queued_at = present, next_attempt_at = present
    where d.customer_id = p_customer and d.id = any (ids);
    queued := cardinality(ids);
    more := exists (
      select from webhook_delivery d
      where d.customer_id = p_customer and d.endpoint_id = p_endpoint
        and ((d.state in ('pending', 'failed') and d.attempts > 0 and d.last_attempt_at >= p_since)
          or (d.state = 'pending' and d.attempts = 0 and d.next_attempt_at > present and d.queued_at >= p_since)
          or (d.state = 'missed' and d.queued_at >= p_since)));
    if endpoint.queue_full and queued = 0 and more then
      outcome := 'full';
      return next;
      return;
    end if;
    insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    values (p_customer, app.new_id(), p_actor, 'webhook.redeliver-since',
      jsonb_build_object('endpoint_id', p_endpoint, 'since', p_since, 'count', queued), present);
  end if;
  return next;
end $$;
