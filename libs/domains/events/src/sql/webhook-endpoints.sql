-- Endpoints of a customer. Each function is called in a transaction that has set the customer, or by the operator's programs.

-- The host of an endpoint's address, for the audit log, which outlives the endpoint: user, path and parameters may be a secret of the receiver.
-- As requests read it, which take a backslash for a slash: former releases stored addresses as they were given.
create or replace function app.webhook_host(p_url text) returns text language sql immutable parallel safe
return substring(p_url from '(?i)^[a-z]+:[/\\]+(?:[^/\\?#@]*@)?([^/\\?#]+)');

-- Adds an endpoint. outcome: created, too_many (p_most endpoints exist).
create or replace function app.create_webhook_endpoint(
  p_customer uuid, p_id uuid, p_url text, p_event_types text[], p_description text, p_scopes text[], p_secret_ciphertext bytea, p_most integer, p_actor text)
returns table (outcome text, endpoint webhook_endpoint)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
begin
  -- Makes the count below exact.
  perform pg_advisory_xact_lock(hashtextextended('webhook endpoints of ' || p_customer, 0));
  if p_most <= (select count(*) from webhook_endpoint e where e.customer_id = p_customer) then
    outcome := 'too_many';
    return next;
    return;
  end if;
  insert into webhook_endpoint as e
    (customer_id, id, url, event_types, description, scopes, secret_ciphertext, created_at, updated_at)
  values
    (p_customer, p_id, p_url, p_event_types, p_description, p_scopes, p_secret_ciphertext, present, present)
  returning e.* into endpoint;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'webhook.create', jsonb_build_object('endpoint_id', p_id, 'host', app.webhook_host(p_url)), present);
  outcome := 'created';
  return next;
end $$;

-- Changes an endpoint: what is null stays as it is. p_event_types: none for all types. p_description: '' for none. p_enabled: `yes`, or `no`
-- with the reason; what waits for a disabled endpoint is missed. The operator's `no` holds, whoever disabled the endpoint before.
-- Who changes the address must have the scopes that the endpoint keeps: it keeps those of p_scopes. A change that is sent again, or of
-- nothing, leaves updated_at and the audit log as they are. An entry there names what was changed: of an address that was moved within a
-- host, which many customers may share, the host alone would tell nothing.
-- outcome: changed, unknown, held (the operator disabled it, and p_reason is another).
create or replace function app.change_webhook_endpoint(
  p_customer uuid, p_id uuid, p_url text, p_event_types text[], p_description text, p_scopes text[], p_enabled text, p_reason text,
  p_actor text)
returns table (outcome text, endpoint webhook_endpoint)
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  former webhook_endpoint;
begin
  select e.* into endpoint from webhook_endpoint e where e.customer_id = p_customer and e.id = p_id for update;
  outcome := case when not found then 'unknown'
    when p_enabled = 'yes' and endpoint.disabled_reason = 'operator' and p_reason <> 'operator' then 'held' else 'changed' end;
  if outcome <> 'changed' then
    return next;
    return;
  end if;
  former := endpoint;
  if p_url is not null and p_url <> endpoint.url then
    endpoint.url := p_url;
    endpoint.failing_since := null;
    endpoint.scopes := case when p_scopes is null or endpoint.scopes is null then endpoint.scopes
      else array(select s from unnest(endpoint.scopes) s where s = any (p_scopes)) end;
  end if;
  endpoint.event_types := case when p_event_types = '{}' then null else coalesce(p_event_types, endpoint.event_types) end;
  endpoint.description := case when p_description = '' then null else coalesce(p_description, endpoint.description) end;
  if p_enabled = 'yes' and endpoint.disabled_at is not null then
    endpoint.disabled_at := null;
    endpoint.disabled_reason := null;
    endpoint.failing_since := null;
  elsif p_enabled = 'no' and (endpoint.disabled_at is null or p_reason = 'operator') then
    endpoint.disabled_at := coalesce(endpoint.disabled_at, present);
    endpoint.disabled_reason := p_reason;
    perform app.miss_endpoint_deliveries(p_customer, p_id);
  end if;
  if endpoint is not distinct from former then
    return next;
    return;
  end if;
  update webhook_endpoint e
  set url = endpoint.url, event_types = endpoint.event_types, description = endpoint.description, scopes = endpoint.scopes,
    failing_since = endpoint.failing_since, disabled_at = endpoint.disabled_at, disabled_reason = endpoint.disabled_reason,
    updated_at = present
  where e.customer_id = p_customer and e.id = p_id
  returning e.* into endpoint;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'webhook.change',
    jsonb_build_object('endpoint_id', p_id, 'host', app.webhook_host(endpoint.url), 'enabled', endpoint.disabled_at is null,
      'changed', array_remove(array[
        case when endpoint.url <> former.url then 'url' end,
        case when endpoint.event_types is distinct from former.event_types then 'event_types' end,
        case when endpoint.description is distinct from former.description then 'description' end,
        case when endpoint.disabled_reason is distinct from former.disabled_reason then 'enabled' end], null)), present);
  return next;
end $$;

-- Deletes an endpoint; what waits for it is missed. False: there is no such endpoint.
create or replace function app.delete_webhook_endpoint(p_customer uuid, p_id uuid, p_actor text) returns boolean
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  its_url text;
begin
  delete from webhook_endpoint e where e.customer_id = p_customer and e.id = p_id returning e.url into its_url;
  if not found then
    return false;
  end if;
  perform app.miss_endpoint_deliveries(p_customer, p_id);
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'webhook.delete', jsonb_build_object('endpoint_id', p_id, 'host', app.webhook_host(its_url)), app.now());
  return true;
end $$;

-- Gives an endpoint a new secret; deliveries are signed with the former one as well for p_overlap. So they are with those of rotations
-- within that time, the last ten: a reply may have been lost, and the receiver has any of them. No row: there is no such endpoint.
create or replace function app.rotate_webhook_secret(p_customer uuid, p_id uuid, p_secret_ciphertext bytea, p_overlap interval, p_actor text)
returns setof webhook_endpoint
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  endpoint webhook_endpoint;
  secrets bytea[];
  ends timestamptz[];
begin
  select e.* into endpoint from webhook_endpoint e where e.customer_id = p_customer and e.id = p_id for update;
  if not found then
    return;
  end if;
  select array_agg(f.secret order by f.place), array_agg(f.until order by f.place) into secrets, ends
  from unnest(array_prepend(endpoint.secret_ciphertext, endpoint.former_secrets), array_prepend(present + p_overlap, endpoint.former_secrets_until))
    with ordinality as f(secret, until, place)
  where f.until > present and f.place <= 10;
  update webhook_endpoint e
  set former_secrets = secrets, former_secrets_until = ends, secret_ciphertext = p_secret_ciphertext, updated_at = present
  where e.customer_id = p_customer and e.id = p_id
  returning e.* into endpoint;
  insert into audit_log (customer_id, id, actor, action, metadata, created_at)
  values (p_customer, app.new_id(), p_actor, 'webhook.rotate-secret', jsonb_build_object('endpoint_id', p_id), present);
  return next endpoint;
end $$;
