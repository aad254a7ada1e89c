-- Lets included credit of an ended month expire as soon as no reservation of that month needs it any more. The caller holds
-- the account's lock and has resolved a reservation that was made before the account was rolled over.
create function app.ai_expire_carried_over(p_customer uuid, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  needed numeric;
  expired numeric;
begin
  perform app.set_customer(p_customer);
  select * into acc from ai_account where customer_id = p_customer;
  select coalesce(sum(amount), 0) into needed
  from ai_reservation where customer_id = p_customer and state = 'pending' and month < acc.month;
  expired := acc.carried_over - needed;
  if expired <= 0 then
    return;
  end if;
  -- An expiry counts in the month that ended.
  insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
  values (p_customer, acc.ledger_sequence + 1, 'expiry', 'included', -expired, acc.included - expired,
          to_char((acc.month || '-01')::date - 1, 'YYYY-MM'), 'system', p_now);
  update ai_account
  set included = acc.included - expired, carried_over = needed, ledger_sequence = acc.ledger_sequence + 1
  where customer_id = p_customer;
end $$
