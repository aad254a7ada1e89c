-- The permission to send a message, and its status, depend on rows that other calls change meanwhile, so these are
-- functions. Each is called in a transaction that has set the customer.

-- Counts a message on its customer's day and logs it with the status `unknown`, which remains if the process ends now.
-- outcome: created; disabled; country, with the countries that are allowed; capped or parts_capped, with the cap and the
-- seconds that are left of the day. No countries means all. The count's row stays locked until the transaction ends, so any
-- number of calls at once cannot go past a cap.
create or replace function app.create_sms(
  p_customer uuid, p_recipient text, p_country text, p_message text, p_encoding text, p_segments integer, p_gateway text,
  p_default_cap integer, p_default_parts_cap integer, p_default_countries text[], p_zone text, p_actor text)
returns table (outcome text, sms sms_message, cap integer, seconds_left integer, countries text)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  today constant date := (present at time zone p_zone)::date;
  midnight constant timestamptz := (today + 1)::timestamp at time zone p_zone;
  -- Where the clocks go back at midnight it is there twice, and the conversion gives the second one.
  tomorrow constant timestamptz := case when ((midnight - interval '1 hour') at time zone p_zone)::date > today
    then midnight - interval '1 hour' else midnight end;
  allowed sms_settings;
  places text[];
  most integer;
  most_parts integer;
  sent sms_daily_count;
begin
  select * into allowed from sms_settings s where s.customer_id = p_customer and s.enabled;
  if not found then
    outcome := 'disabled';
    return next;
    return;
  end if;
  places := coalesce(allowed.countries, p_default_countries);
  if cardinality(places) > 0 and not coalesce(p_country = any(places), false) then
    outcome := 'country';
    countries := array_to_string(places, ', ');
    return next;
    return;
  end if;
  most := coalesce(allowed.daily_cap, p_default_cap);
  most_parts := coalesce(allowed.daily_parts_cap, p_default_parts_cap);
  if most > 0 and p_segments <= most_parts then
    insert into sms_daily_count as c (customer_id, day, messages, parts) values (p_customer, today, 1, p_segments)
    on conflict (customer_id, day) do update set messages = c.messages + 1, parts = c.parts + p_segments
      where c.messages < most and c.parts + p_segments <= most_parts;
  end if;
  if most <= 0 or p_segments > most_parts or not found then
    select * into sent from sms_daily_count c where c.customer_id = p_customer and c.day = today;
    outcome := case when most <= 0 or sent.messages >= most then 'capped' else 'parts_capped' end;
    cap := case outcome when 'capped' then most else most_parts end;
    seconds_left := ceil(extract(epoch from tomorrow - present))::integer;
    return next;
    return;
  end if;
  insert into sms_message as m
    (customer_id, id, recipient, sender_id, message, encoding, segments, gateway, created_at, updated_at)
  values (p_customer, app.new_id(), p_recipient, allowed.sender_id, p_message, p_encoding, p_segments, p_gateway, present, present)
  returning m.* into sms;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'sms.send', jsonb_build_object('sms_id', sms.id), present);
  outcome := 'created';
  return next;
end $$;

-- Writes an event about a message, with the message as its customer reads it.
create or replace function app.record_sms_event(p_customer uuid, p_type text, p_message uuid) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  record json;
begin
  select json_build_object('id', m.id, 'recipient', m.recipient, 'senderId', m.sender_id, 'message', m.message, 'status', m.status,
    'segments', m.segments, 'encoding', m.encoding, 'errorCode', m.error_code, 'createdAt', app.json_time(m.created_at),
    'updatedAt', app.json_time(m.updated_at), 'deliveredAt', app.json_time(m.delivered_at)) into record
  from sms_message m where m.customer_id = p_customer and m.id = p_message;
  if found then
    perform app.record_event(p_customer, p_type, json_build_object('id', p_message), record);
  end if;
end $$;

-- Stores a new status of a message. A status that is less certain than the present one changes nothing, so neither order nor
-- repetition of the calls matters. p_overruled: the statuses that are less certain than p_status. With p_zone, a message that
-- becomes failed certainly was not sent and is subtracted from the count of its day, once. An impossible time of delivery, as
-- of a gateway with a wrong clock, is replaced by the present one.
-- Returns the message, or nothing if the customer has none with this id from this gateway.
create or replace function app.record_sms_outcome(
  p_customer uuid, p_id uuid, p_gateway text, p_status text, p_overruled text[], p_error_code text,
  p_delivered_at timestamptz, p_gateway_message_id text, p_zone text)
returns setof sms_message
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  slack constant interval := interval '5 minutes';
  former sms_message;
  delivered timestamptz;
  is_news boolean;
  sent_on date;
begin
  select * into former from sms_message m
  where m.customer_id = p_customer and m.id = p_id and m.gateway = p_gateway for no key update;
  if not found then
    return;
  end if;
  if p_status = 'delivered' then
    delivered := case when p_delivered_at between former.created_at - slack and present + slack
      then least(greatest(p_delivered_at, former.created_at), present) else present end;
  end if;
  is_news := former.status = any(p_overruled);
  if is_news and p_status = 'failed' and p_zone is not null then
    sent_on := (former.created_at at time zone p_zone)::date;
    update sms_daily_count c set messages = c.messages - 1, parts = greatest(c.parts - former.segments, 0)
    where c.customer_id = p_customer and c.day = sent_on;
  end if;
  -- Of two unknown outcomes the first reason stays; a missing reason is filled in.
  return query update sms_message m set
    status = case when is_news then p_status else m.status end,
    error_code = case when is_news or (m.status = p_status and m.error_code is null) then p_error_code else m.error_code end,
    delivered_at = case when is_news then delivered else m.delivered_at end,
    gateway_message_id = coalesce(m.gateway_message_id, p_gateway_message_id),
    updated_at = case when is_news then present else m.updated_at end
  where m.customer_id = p_customer and m.id = p_id and m.gateway = p_gateway returning m.*;
  -- An outcome is unknown when its reason is stored: before, the message is on its way.
  if (is_news and p_status in ('delivered', 'failed'))
     or (p_status = 'unknown' and former.status = 'unknown' and former.error_code is null and p_error_code is not null) then
    perform app.record_sms_event(p_customer, 'sms.' || p_status, p_id);
  end if;
end $$;

-- Stores that the outcome of a customer's messages is unknown if none was stored within this time: their process died while it sent
-- them. After an outage of the database an outcome that the customer was told may wait to be stored (app.outage_is_over). A few
-- hundred at a time. Returns how many.
create or replace function app.give_up_sms(p_customer uuid, p_within interval) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  lost record;
  given_up integer := 0;
begin
  if not app.outage_is_over() then
    return 0;
  end if;
  for lost in
    select m.id, m.gateway from sms_message m
    where m.customer_id = p_customer and m.status = 'unknown' and m.error_code is null and m.created_at < present - p_within
    order by m.id limit 500
  loop
    perform app.record_sms_outcome(p_customer, lost.id, lost.gateway, 'unknown', '{}', 'not_confirmed', null, null, null);
    given_up := given_up + 1;
  end loop;
  return given_up;
end $$;
