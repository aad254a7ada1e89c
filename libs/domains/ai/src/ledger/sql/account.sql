-- What may be spent of an account: included credit up to what the month's limit leaves of it, and all purchased credit.
-- p_limit_left is null where no limit is set.
create or replace function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric) returns numeric
language sql immutable
as $$
  select greatest(least(p_included, p_limit_left), 0) + p_purchased
$$;

-- The pending reservation that was asked for with p_seed: app.new_id kept the last eight bytes of it. For a caller whose reply
-- was lost, who does not know the id.
create or replace function app.ai_reservation_of(p_customer uuid, p_seed uuid) returns uuid
language sql stable
as $$
  select r.id from public.ai_reservation r
  where r.customer_id = p_customer and r.state = 'pending' and right(r.id::text, 17) = right(p_seed::text, 17)
$$;

-- The customer again, unless somebody else has the account locked at this moment.
create or replace function app.ai_unlocked_account(p_customer uuid) returns table ("customerId" uuid)
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  return query select a.customer_id from ai_account a where a.customer_id = p_customer for no key update skip locked;
end $$;

-- Which of these customers' accounts nobody else has locked at this moment, without waiting for those that are.
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
