-- Carries a customer's ledger forward before months of it are dropped: keeps, for each bucket, the sum of all entries up to the last
-- one before p_before. The sequence is the bound, not the time: a clock that was set back makes no gap. Entries that
-- are carried forward no longer count, whether they are dropped yet or not, so this may be done long before the drop, and
-- again.
--
-- False: the account's month is not past p_before yet, so its entries of that month are still needed.
create or replace function app.ai_carry_forward(p_customer uuid, p_before timestamptz) returns boolean
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  former bigint;
  carried bigint;
  included numeric;
  purchased numeric;
begin
  select * into acc from ai_account where customer_id = p_customer for no key update;
  -- A month of the billing time zone begins up to a day off the UTC month.
  if not found or acc.month <= to_char(p_before at time zone 'UTC', 'YYYY-MM') then
    return false;
  end if;
  select coalesce(max(c.sequence), 0) into former from ai_ledger_carried c where c.customer_id = p_customer;
  select greatest(max(e.sequence), former) into carried
  from ai_ledger_entry e where e.customer_id = p_customer and e.id < app.first_id(p_before);
  select coalesce(sum(e.amount) filter (where e.bucket = 'included'), 0),
         coalesce(sum(e.amount) filter (where e.bucket = 'purchased'), 0)
  into included, purchased
  from ai_ledger_entry e where e.customer_id = p_customer and e.sequence > former and e.sequence <= carried;
  insert into ai_ledger_carried as c (customer_id, bucket, balance, sequence, before)
  values (p_customer, 'included', included, carried, p_before), (p_customer, 'purchased', purchased, carried, p_before)
  on conflict (customer_id, bucket) do update
  set balance = c.balance + excluded.balance, sequence = excluded.sequence, before = greatest(c.before, excluded.before);
  return true;
end $$;
