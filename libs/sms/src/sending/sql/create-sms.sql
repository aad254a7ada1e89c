-- Counts a message on its customer's day and writes it down, its outcome unknown: what it is, should the process end now.
-- outcome: created, disabled, or capped, with the seconds that are left of the day. The count's row stays locked until the
-- transaction ends, so any number of calls at once cannot go past the cap.
create or replace function app.create_sms(
  p_customer uuid, p_id uuid, p_recipient text, p_message text, p_encoding text, p_segments integer, p_gateway text,
  p_default_cap integer, p_zone text, p_actor text, p_audit_id uuid)
returns table (outcome text, sender_id text, cap integer, seconds_left integer, created_at timestamptz)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := app.now();
  today constant date := (present at time zone p_zone)::date;
  allowed sms_settings;
  most integer;
begin
  perform app.set_customer(p_customer);
  select * into allowed from sms_settings s where s.customer_id = p_customer and s.enabled;
  if not found then
    return query select 'disabled', null::text, null::integer, null::integer, null::timestamptz;
    return;
  end if;
  most := coalesce(allowed.daily_cap, p_default_cap);
  if most > 0 then
    insert into sms_daily_count as c (customer_id, day, messages) values (p_customer, today, 1)
    on conflict (customer_id, day) do update set messages = c.messages + 1 where c.messages < most;
  end if;
  if most <= 0 or not found then
    return query select 'capped', null::text, most,
      ceil(extract(epoch from ((today + 1)::timestamp at time zone p_zone) - present))::integer, null::timestamptz;
    return;
  end if;
  insert into sms_message
    (customer_id, id, recipient, sender_id, message, encoding, segments, gateway, created_at, updated_at)
  values (p_customer, p_id, p_recipient, allowed.sender_id, p_message, p_encoding, p_segments, p_gateway, present, present);
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, p_audit_id, p_actor, 'sms.send', jsonb_build_object('sms_id', p_id), present);
  return query select 'created', allowed.sender_id, most, null::integer, present;
end $$
