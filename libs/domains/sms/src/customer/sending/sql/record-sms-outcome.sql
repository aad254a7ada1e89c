-- Adds news to what is known of a message. News that says less than what is known changes nothing, so the order in which
-- they come, and how often, makes no difference. p_overruled: the statuses that say less than p_status. With p_zone, a
-- message that becomes failed certainly was not sent and is taken off the count of its day; once, however often it is said.
-- A time of delivery that cannot be, as gateways' clocks go, is replaced by the present one.
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
  perform app.set_customer(p_customer);
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
  -- Between two unknown outcomes the first reason stays; where none is known yet, it is told.
  return query update sms_message m set
    status = case when is_news then p_status else m.status end,
    error_code = case when is_news or (m.status = p_status and m.error_code is null) then p_error_code else m.error_code end,
    delivered_at = case when is_news then delivered else m.delivered_at end,
    gateway_message_id = coalesce(m.gateway_message_id, p_gateway_message_id),
    updated_at = case when is_news then present else m.updated_at end
  where m.customer_id = p_customer and m.id = p_id and m.gateway = p_gateway returning m.*;
end $$
