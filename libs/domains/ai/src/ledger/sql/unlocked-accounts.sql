-- Which of these customers' accounts nobody else has locked at this moment, without waiting for those that are.
create function app.ai_unlocked_accounts(p_customers uuid[]) returns setof uuid
language plpgsql
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  customer uuid;
begin
  -- One by one: what is locked under another customer's row security would be skipped or not by the planner's choice.
  foreach customer in array p_customers loop
    perform app.set_customer(customer);
    return query select a.customer_id from ai_account a where a.customer_id = customer for no key update skip locked;
  end loop;
end $$
