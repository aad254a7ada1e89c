-- The states of an Idempotency-Key: in progress, done, free. The transaction that calls these functions has set the customer, or
-- has the rights of the operator, as the ledger's functions do.

-- How long a key is kept with its reply, from its claim on. An older one is as good as unused, and is deleted. Statements that look
-- keys up or delete them call this, too, as those for the keys of the operator's accounts do.
create or replace function app.idempotency_key_lifetime() returns interval language sql immutable parallel safe
return interval '24 hours';

-- Claims a key for a request, in the transaction of the request's effect. Waits for a transaction that is just claiming it.
-- Returns false if the key is taken: a request that is in progress or done has it. A key beyond its lifetime is free.
-- p_effect: what the request makes, such as a reservation. p_reply and p_within: what the key is completed with when it is
-- still in progress after that time, for an effect outside the database that may have happened by then.
create or replace function app.claim_idempotency_key(
  p_customer uuid, p_key_hash bytea, p_fingerprint bytea, p_effect uuid, p_secrets_key text default null,
  p_reply bytea default null, p_within interval default null)
returns boolean
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  due constant timestamptz := present + p_within;
  expired constant timestamptz := present - app.idempotency_key_lifetime();
begin
  insert into idempotency_key as k
    (customer_id, key_hash, fingerprint, effect_id, secrets_key, reply, deadline, created_at)
  values (p_customer, p_key_hash, p_fingerprint, p_effect, p_secrets_key, p_reply, due, present)
  on conflict (customer_id, key_hash) do update
    set fingerprint = excluded.fingerprint, state = 'in_progress', effect_id = excluded.effect_id,
        secrets_key = excluded.secrets_key, reply = excluded.reply, deadline = excluded.deadline,
        created_at = excluded.created_at
    where k.state = 'free' or k.created_at <= expired;
  return found;
end $$

-- Whether a key is taken, for a request that is refused before it claims it. The condition is that of claim_idempotency_key, which may
-- call no function about its row on a cluster. The row is read by the key alone: with its age, another index may seem as good.
create or replace function app.idempotency_key_is_taken(p_customer uuid, p_key_hash bytea) returns boolean
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  expired constant timestamptz := app.now() - app.idempotency_key_lifetime();
  key_state text;
  claimed_at timestamptz;
begin
  select k.state, k.created_at into key_state, claimed_at from idempotency_key k
  where k.customer_id = p_customer and k.key_hash = p_key_hash;
  return found and key_state <> 'free' and claimed_at > expired;
end $$

-- Keeps the reply to a key's request, in the transaction that settles its effect. Without a reply the key remains taken:
-- the request was done, and its reply is too large to be kept. Idempotent.
-- Returns false if the key was given up meanwhile and another request has it.
create or replace function app.complete_idempotency_key(
  p_customer uuid, p_key_hash bytea, p_effect uuid, p_secrets_key text, p_reply bytea)
returns boolean
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update idempotency_key k
  set state = 'done', secrets_key = p_secrets_key, reply = p_reply, deadline = null
  where k.customer_id = p_customer and k.key_hash = p_key_hash and k.effect_id is not distinct from p_effect
    and k.state <> 'done';
  return found or exists (
    select from idempotency_key k where k.customer_id = p_customer and k.key_hash = p_key_hash
      and k.effect_id is not distinct from p_effect);
end $$

-- complete_idempotency_key for many requests of many customers in one statement, for a batch of the ledger: it runs with the
-- rights of the operator, and has set how to plan. The requests are those that have their keys: if one has not, nothing is completed
-- and the batch fails; call by call each learns what complete_idempotency_key tells.
create or replace function app.complete_idempotency_keys(
  p_customers uuid[], p_key_hashes bytea[], p_effects uuid[], p_secrets_keys text[], p_replies bytea[])
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  completed integer;
begin
  update idempotency_key k
  set state = 'done', secrets_key = u.secrets_key, reply = u.reply, deadline = null
  from unnest(p_customers, p_key_hashes, p_effects, p_secrets_keys, p_replies)
    as u (customer, key_hash, effect, secrets_key, reply)
  where k.customer_id = u.customer and k.key_hash = u.key_hash and k.effect_id = u.effect and k.state <> 'done';
  get diagnostics completed = row_count;
  if completed < cardinality(p_key_hashes) then
    raise exception 'a key of the batch is done, or another request has it';
  end if;
end $$

-- Frees the key of a request that had no effect, in the transaction that resolves it. Idempotent. The key of a request that
-- is done, or that another request has meanwhile, is left alone.
create or replace function app.free_idempotency_key(p_customer uuid, p_key_hash bytea, p_effect uuid) returns boolean
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update idempotency_key k
  set state = 'free', secrets_key = null, reply = null, deadline = null
  where k.customer_id = p_customer and k.key_hash = p_key_hash and k.effect_id = p_effect and k.state = 'in_progress';
  return found;
end $$

-- Completes a customer's keys that are still in progress after their deadline, with the reply that they were claimed with:
-- their process died after the effect may have happened. After an outage of the database that is not known at once: the process
-- may have told its caller the outcome, and be about to store it (app.outage_is_over). Returns how many.
create or replace function app.give_up_idempotency_keys(p_customer uuid) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  given_up integer;
begin
  if not app.outage_is_over() then
    return 0;
  end if;
  update idempotency_key k set state = 'done', deadline = null
  where k.customer_id = p_customer and k.deadline < present and k.state = 'in_progress';
  get diagnostics given_up = row_count;
  return given_up;
end $$
