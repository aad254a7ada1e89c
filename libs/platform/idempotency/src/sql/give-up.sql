-- Completes a customer's keys that are still in progress after their deadline, with the reply that they were claimed with:
-- their process died after the effect may have happened. Returns how many.
create or replace function app.give_up_idempotency_keys(p_customer uuid) returns integer
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  given_up integer;
begin
  perform app.set_customer(p_customer);
  update idempotency_key k set state = 'done', deadline = null
  where k.customer_id = p_customer and k.deadline < present and k.state = 'in_progress';
  get diagnostics given_up = row_count;
  return given_up;
end $$
