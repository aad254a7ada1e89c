-- Resolves the abandoned reservations of a customer (resolve-abandoned.sql) if this call is one of them: whoever retries it need
-- not wait for a worker. Returns whether it did; false too while somebody else has the account locked.
create function app.ai_resolve_abandoned_call(p_customer uuid, p_reservation uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  call record;
begin
  perform app.set_customer(p_customer);
  select h.deadline, h.process_id into call from ai_reservation h
  where h.customer_id = p_customer and h.id = p_reservation and h.state = 'pending';
  if not found or not (call.deadline < app.now() or app.process_is_gone(call.process_id)) then
    return false;
  end if;
  return coalesce(app.ai_resolve_abandoned(p_customer), 0) > 0;
end $$
