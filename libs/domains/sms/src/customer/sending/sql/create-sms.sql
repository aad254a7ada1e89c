-- Counts a message on its customer's day and writes it down, its outcome unknown: what it is, should the process end now.
-- outcome: created; disabled; country, with the countries that are allowed; capped or parts_capped, with the cap and the
-- seconds that are left of the day. No countries means all. The count's row stays locked until the transaction ends, so any
-- number of calls at once cannot go past a cap.
create or replace function app.create_sms(
  p_customer uuid, p_seed uuid, p_recipient text, p_message text, p_encoding text, p_segments integer, p_gateway text,
  p_default_cap integer, p_zone text, p_actor text, p_audit_id uuid, p_country text, p_default_countries text[],
  p_default_parts_cap integer)
returns table (
  outcome text, id uuid, sender_id text, cap integer, seconds_left integer, created_at timestamptz, countries text[])
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := app.now();
  today constant date := (present at time zone p_zone)::date;
  tomorrow constant timestamptz := (today + 1)::timestamp at time zone p_zone;
  allowed sms_settings;
  places text[];
  most integer;
  most_parts integer;
  sent sms_daily_count;
  reached text;
  sms_id uuid;
begin
  perform app.set_customer(p_customer);
  select * into allowed from sms_settings s where s.customer_id = p_customer and s.enabled;
  if not found then
    return query select 'disabled', null::uuid, null::text, null::integer, null::integer, null::timestamptz, null::text[];
    return;
  end if;
  places := coalesce(allowed.countries, p_default_countries);
  if cardinality(places) > 0 and not coalesce(p_country = any(places), false) then
    return query select 'country', null::uuid, null::text, null::integer, null::integer, null::timestamptz, places;
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
    reached := case when most <= 0 or sent.messages >= most then 'capped' else 'parts_capped' end;
    return query select reached, null::uuid, null::text, case reached when 'capped' then most else most_parts end,
      ceil(extract(epoch from tomorrow - present))::integer, null::timestamptz, null::text[];
    return;
  end if;
  sms_id := app.new_id(p_seed);
  insert into sms_message
    (customer_id, id, recipient, sender_id, message, encoding, segments, gateway, created_at, updated_at)
  values (p_customer, sms_id, p_recipient, allowed.sender_id, p_message, p_encoding, p_segments, p_gateway, present, present);
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(p_audit_id), p_actor, 'sms.send', jsonb_build_object('sms_id', sms_id), present);
  return query select 'created', sms_id, allowed.sender_id, most, null::integer, present, null::text[];
end $$
