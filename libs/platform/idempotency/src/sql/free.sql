-- Frees the key of a request that had no effect, in the transaction that resolves it. Idempotent. The key of a request that
-- is done, or that another request has meanwhile, is left alone.
create or replace function app.free_idempotency_key(p_customer uuid, p_key_hash bytea, p_effect uuid) returns boolean
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_user <> 'account_operator' then
    perform app.set_customer(p_customer);
  end if;
  update idempotency_key k
  set state = 'free', secrets_key = null, reply = null, deadline = null
  where k.customer_id = p_customer and k.key_hash = p_key_hash and k.effect_id = p_effect and k.state = 'in_progress';
  return found;
end $$
