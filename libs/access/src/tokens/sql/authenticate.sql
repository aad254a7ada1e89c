-- The customer behind a valid token. The API knows no customer before it knows the token, so it may not read the table: it
-- may ask about one hash.
create or replace function app.authenticate(hash bytea) returns table (
  token_id uuid, customer_id uuid, scopes text[], expires_at timestamptz,
  requests_per_minute integer, ai_per_minute integer, sms_per_minute integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select t.id, t.customer_id, t.scopes, t.expires_at, c.requests_per_minute, c.ai_per_minute, c.sms_per_minute
  from service_token t join customer c on c.id = t.customer_id
  where t.token_hash = hash and t.active and c.active and (t.expires_at is null or t.expires_at > app.now())
$$
