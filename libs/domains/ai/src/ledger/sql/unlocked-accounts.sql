-- The customer again, unless somebody else has the account locked at this moment.
create or replace function app.ai_unlocked_account(p_customer uuid) returns table ("customerId" uuid)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  return query select a.customer_id from ai_account a where a.customer_id = p_customer for no key update skip locked;
end $$;

-- The customers among these whose accounts nobody else has locked at this moment, without waiting for those that are locked.
create or replace function app.ai_unlocked_accounts(p_customers uuid[]) returns setof uuid
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  customer uuid;
begin
  foreach customer in array p_customers loop
    return query select * from app.ai_unlocked_account(customer);
  end loop;
end $$;
