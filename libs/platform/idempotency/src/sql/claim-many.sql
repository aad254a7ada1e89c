-- claim_idempotency_key for many requests of many customers in one statement, for a batch of the ledger: it runs with the rights
-- of the operator, and has set how to plan. Each key is named once. Returns the hashes of those that are taken; they differ between customers.
create function app.claim_idempotency_keys(
  p_customers uuid[], p_key_hashes bytea[], p_fingerprints bytea[], p_effects uuid[])
returns bytea[]
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  expired constant timestamptz := present - interval '24 hours';
  claimed integer;
begin
  insert into idempotency_key as k (customer_id, key_hash, fingerprint, effect_id, created_at)
  select u.customer, u.key_hash, u.fingerprint, u.effect, present
  from unnest(p_customers, p_key_hashes, p_fingerprints, p_effects) as u (customer, key_hash, fingerprint, effect)
  on conflict (customer_id, key_hash) do update
    set fingerprint = excluded.fingerprint, state = 'in_progress', effect_id = excluded.effect_id,
        secrets_key = null, reply = null, deadline = null, created_at = excluded.created_at
    where k.state = 'free' or k.created_at <= expired;
  get diagnostics claimed = row_count;
  if claimed = cardinality(p_key_hashes) then
    return '{}';
  end if;
  return array(
    select u.key_hash from unnest(p_customers, p_key_hashes, p_effects) as u (customer, key_hash, effect)
    join idempotency_key k on k.customer_id = u.customer and k.key_hash = u.key_hash
    where k.effect_id is distinct from u.effect);
end $$
