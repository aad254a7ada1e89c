-- Grants what the month's included credit lacks, when the operator raised it or enabled AI within the month. A lower amount
-- holds from the next month on. Idempotent: what was granted is counted in month_granted.
-- Returns the amount granted; 0 if there is none.
create function app.ai_grant_difference(p_customer uuid, p_month text, p_now timestamptz, p_actor text) returns numeric
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  difference numeric;
begin
  perform app.set_customer(p_customer);
  insert into ai_account (customer_id) values (p_customer) on conflict do nothing;
  perform app.ai_roll_over(p_customer, p_month, p_now);
  select * into acc from ai_account where customer_id = p_customer for no key update;
  difference := app.ai_included_credit(p_customer) - acc.month_granted;
  if difference <= 0 or not exists (select from ai_settings where customer_id = p_customer and enabled) then
    return 0;
  end if;
  insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
  values (p_customer, acc.ledger_sequence + 1, 'monthly_included', 'included', difference, acc.included + difference,
          acc.month, p_actor, p_now);
  update ai_account
  set included = acc.included + difference, month_granted = acc.month_granted + difference,
      ledger_sequence = acc.ledger_sequence + 1
  where customer_id = p_customer;
  return difference;
end $$
