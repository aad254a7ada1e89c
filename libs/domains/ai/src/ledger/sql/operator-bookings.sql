-- The operator's bookings. Credit given goes to the purchased bucket, which never expires. Credit taken comes from the
-- purchased bucket first, and never from credit that calls in progress have reserved. False: there is less free credit than that.
create or replace function app.ai_credit(
  p_customer uuid, p_month text, p_now timestamptz, p_kind text, p_amount numeric, p_note text, p_actor text,
  p_credit_request integer, p_invoice uuid)
returns boolean
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  limit_left numeric;
  part numeric;
  rest numeric := p_amount;
begin
  insert into ai_account (customer_id) values (p_customer) on conflict do nothing;
  perform app.ai_roll_over(p_customer, p_month, p_now);
  select * into acc from ai_account where customer_id = p_customer for no key update;
  select s.monthly_limit - acc.month_included_usage into limit_left from ai_settings s where s.customer_id = p_customer;
  part := greatest(rest, -acc.purchased);
  -- Included credit that its limit keeps from being spent backs no reservation: purchased credit may have to stay for them.
  if part < 0 then
    part := greatest(part, least(0, acc.reserved - app.ai_spendable(acc.included, limit_left, acc.purchased)));
  end if;
  rest := rest - part;
  if acc.included + rest < 0
     or (p_amount < 0 and app.ai_spendable(acc.included + rest, limit_left, acc.purchased + part) < acc.reserved) then
    return false;
  end if;
  if part <> 0 then
    acc.ledger_sequence := acc.ledger_sequence + 1;
    acc.purchased := acc.purchased + part;
    insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, credit_request_id,
                                 invoice_id, note, actor, created_at)
    values (p_customer, acc.ledger_sequence, p_kind, 'purchased', part, acc.purchased, acc.month, p_credit_request,
            p_invoice, p_note, p_actor, p_now);
  end if;
  if rest <> 0 then
    acc.ledger_sequence := acc.ledger_sequence + 1;
    acc.included := acc.included + rest;
    insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, note, actor, created_at)
    values (p_customer, acc.ledger_sequence, p_kind, 'included', rest, acc.included, acc.month, p_note, p_actor, p_now);
  end if;
  update ai_account
  set included = acc.included, purchased = acc.purchased, carried_over = least(acc.carried_over, acc.included),
      ledger_sequence = acc.ledger_sequence
  where customer_id = p_customer;
  perform app.ai_announce_thresholds(p_customer);
  return true;
end $$;
