-- The customer again, unless somebody else has the account locked at this moment.
create function app.ai_unlocked_account(p_customer uuid) returns table ("customerId" uuid)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  return query select a.customer_id from ai_account a where a.customer_id = p_customer for no key update skip locked;
end $$
