-- Which of these customers' accounts nobody else has locked at this moment, without waiting for those that are.
create function app.ai_unlocked_accounts(p_customers uuid[]) returns setof uuid
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  customer uuid;
begin
  foreach customer in array p_customers loop
    return query select a.customer_id from ai_account a where a.customer_id = customer for no key update skip locked;
  end loop;
end $$
