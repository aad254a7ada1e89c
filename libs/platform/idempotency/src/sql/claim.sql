-- Claims a key for a request, in the transaction of the request's effect. Waits for a transaction that is just claiming it.
-- Returns false if the key is taken: a request that is in progress or done has it. A key of 24 hours ago is free.
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
  expired constant timestamptz := present - interval '24 hours';
begin
  -- The ledger's functions have the rights of the operator, who sees every customer's keys: it takes a fifth of the time.
  if current_user <> 'account_operator' then
    perform app.set_customer(p_customer);
  end if;
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
