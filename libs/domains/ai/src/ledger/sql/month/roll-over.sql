-- The turn of the month. Whoever comes first rolls the account over, under the account's row lock; all others find it done.
--
-- Included credit expires. What reservations of the ended month still need of it is carried over for them alone, and
-- expires when they end without using it (ai_expire_carried_over).
create function app.ai_roll_over(p_customer uuid, p_month text, p_now timestamptz) returns boolean
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  limit_left numeric;
  kept numeric;
  expired numeric;
  granted numeric;
  turned_on boolean;
begin
  perform app.set_customer(p_customer);
  select * into acc from ai_account where customer_id = p_customer for no key update;
  if not found or acc.month >= p_month then
    return false;
  end if;
  select s.monthly_limit - acc.month_included_usage, s.enabled into limit_left, turned_on
  from ai_settings s where s.customer_id = p_customer;
  kept := app.ai_kept_over_month(acc.included, limit_left, acc.purchased, acc.reserved);
  granted := case when turned_on then app.ai_included_credit(p_customer) else 0 end;
  expired := acc.included - kept;
  if expired > 0 then
    acc.ledger_sequence := acc.ledger_sequence + 1;
    acc.included := acc.included - expired;
    insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
    values (p_customer, acc.ledger_sequence, 'expiry', 'included', -expired, acc.included, acc.month, 'system', p_now);
  end if;
  if granted > 0 then
    acc.ledger_sequence := acc.ledger_sequence + 1;
    acc.included := acc.included + granted;
    insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
    values (p_customer, acc.ledger_sequence, 'monthly_included', 'included', granted, acc.included, p_month, 'system', p_now);
  end if;
  update ai_account
  set month = p_month, month_granted = granted, month_usage = 0, month_included_usage = 0, carried_over = kept,
      included = acc.included, ledger_sequence = acc.ledger_sequence
  where customer_id = p_customer;
  return true;
end $$
