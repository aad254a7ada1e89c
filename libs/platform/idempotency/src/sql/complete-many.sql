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
