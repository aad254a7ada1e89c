-- The customer behind a valid token, known by its hash, and what a request is judged by before its body is read. The API
-- knows no customer before it knows the token, so it may not read the tables: it may ask about one hash.
create or replace function app.authenticate(hash bytea) returns table (
  token_id uuid, customer_id uuid, scopes text[], expires_at timestamptz, ai_enabled boolean,
  requests_per_minute integer, ai_per_minute integer, sms_per_minute integer)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  select t.id, t.customer_id, t.scopes, t.expires_at, c.requests_per_minute, c.ai_per_minute, c.sms_per_minute
  into token_id, customer_id, scopes, expires_at, requests_per_minute, ai_per_minute, sms_per_minute
  from service_token t join customer c on c.id = t.customer_id
  where t.token_hash = hash and t.active and c.active and (t.expires_at is null or t.expires_at > app.now());
  if not found then
    return;
  end if;
  -- By itself, for one customer: on a cluster the settings are on the customer's own node, the tables above on every node.
  ai_enabled := coalesce((select s.enabled from ai_settings s where s.customer_id = authenticate.customer_id), false);
  return next;
end
$$
