-- The customer behind a valid token, known by its hash, with the settings that a request is judged by before its body is read. The API
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
$$;

-- Why a token is refused, for its caller alone, who has shown all of it: `expired`, `deactivated`, `customer_deactivated` or `unknown`.
create or replace function app.token_refusal_reason(hash bytea) returns text
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  usable boolean;
  customer_active boolean;
  expiry timestamptz;
begin
  select t.active, c.active, t.expires_at into usable, customer_active, expiry
  from service_token t join customer c on c.id = t.customer_id
  where t.token_hash = hash;
  return case when usable is null then 'unknown' when not usable then 'deactivated' when not customer_active then 'customer_deactivated'
    when expiry <= app.now() then 'expired' end;
end
$$;

-- The same in the words of version 1.0, whose replicas call it during an upgrade.
create or replace function app.token_refusal(hash bytea) returns text
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  usable boolean;
  expiry timestamptz;
begin
  select t.active and c.active, t.expires_at into usable, expiry
  from service_token t join customer c on c.id = t.customer_id
  where t.token_hash = hash;
  return case when usable is null then 'unknown' when not usable then 'deactivated' when expiry <= app.now() then 'expired' end;
end
$$;

-- Stores when tokens were last used, each as many milliseconds ago as its caller measured: the database's clock dates it.
-- Tokens are named by their hashes, which only the code that authenticates them has: nobody who has the API's login can say
-- that a token was used which never was.
create or replace function app.record_token_uses(hashes bytea[], ages_ms double precision[]) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  owner uuid;
  token uuid;
  used timestamptz;
begin
  for place in 1 .. cardinality(hashes) loop
    select t.customer_id, t.id into owner, token from service_token t where t.token_hash = hashes[place];
    continue when not found;
    used := present - make_interval(secs => greatest(0, ages_ms[place]) / 1000);
    insert into service_token_use as u (customer_id, token_id, last_used_at) values (owner, token, used)
    on conflict (customer_id, token_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at);
  end loop;
end $$;

-- The names of some of a customer's tokens. The API may not read the tokens' table: it has their hashes. Only the customer that
-- the transaction is set to is answered, even if the statement names another.
create or replace function app.token_names(p_customer uuid, p_tokens uuid[]) returns table (token_id uuid, name text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.id, t.name from service_token t
  where t.customer_id = p_customer and t.id = any (p_tokens)
    and t.customer_id = nullif(current_setting('app.customer_id', true), '')::uuid;
end
$$;
