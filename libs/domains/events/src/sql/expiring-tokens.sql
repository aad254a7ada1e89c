-- Tells a customer of its tokens that expire in 14 days, and in one day. None of 14 days about a token that was never valid for so long.
-- Returns how many events that were.
create or replace function app.announce_expiring_tokens(p_customer uuid) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  told integer := 0;
  days smallint;
  token record;
begin
  for token in
    select t.id, t.name, t.expires_at from service_token t
    where t.customer_id = p_customer and t.active and t.expires_at > present
      and ((t.expires_at <= present + interval '1 day' and coalesce(t.expiry_told_days, 14) > 1
          and t.created_at <= t.expires_at - interval '1 day')
        or (t.expires_at <= present + interval '14 days' and t.expiry_told_days is null
          and t.created_at <= t.expires_at - interval '14 days'))
    order by t.id
  loop
    days := case when token.expires_at <= present + interval '1 day' then 1 else 14 end;
    update service_token t set expiry_told_days = days
    where t.customer_id = p_customer and t.id = token.id and coalesce(t.expiry_told_days, 15) > days;
    continue when not found;
    perform app.record_event(p_customer, 'token.expiring', json_build_object('id', token.id),
      json_build_object('id', token.id, 'name', token.name, 'expiresAt', app.json_time(token.expires_at)));
    told := told + 1;
  end loop;
  return told;
end $$;
