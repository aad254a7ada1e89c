-- Keeps the reply to a key's request, in the transaction that settles its effect. Without a reply the key remains taken:
-- the request was done, and its reply is too large to be kept. Idempotent.
-- Returns false if the key was given up meanwhile and another request has it.
create or replace function app.complete_idempotency_key(
  p_customer uuid, p_key_hash bytea, p_effect uuid, p_secrets_key text, p_reply bytea)
returns boolean
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_user <> 'account_operator' then
    perform app.set_customer(p_customer);
  end if;
  update idempotency_key k
  set state = 'done', secrets_key = p_secrets_key, reply = p_reply, deadline = null
  where k.customer_id = p_customer and k.key_hash = p_key_hash and k.effect_id is not distinct from p_effect
    and k.state <> 'done';
  return found or exists (
    select from idempotency_key k where k.customer_id = p_customer and k.key_hash = p_key_hash
      and k.effect_id is not distinct from p_effect);
end $$
