-- The monthly included credit, in NOK, that the config of a service grants. A config that has something else than a sensible
-- number counts as 0, so that it stops no call.
create or replace function app.ai_included_credit_of(p_config jsonb) returns numeric
language sql immutable
as $$
  select case when pg_catalog.jsonb_typeof(p_config -> 'monthly_included_nok') = 'number'
              then least(greatest((p_config ->> 'monthly_included_nok')::numeric, 0), 1000000000) else 0 end
$$;

-- The included credit of a month, in NOK: the sum over the customer's active services of type ai.
create or replace function app.ai_included_credit(p_customer uuid) returns numeric
language sql stable
as $$
  select coalesce(sum(app.ai_included_credit_of(config)), 0)::numeric(24,12)
  from public.customer_service where customer_id = p_customer and type = 'ai' and status = 'active'
$$;

-- The included credit that survives the turn of the month: the part that calls in progress have reserved. They count on included
-- credit within the limit they were made under, and on purchased credit; where the limit was lowered since, on more of it.
-- p_limit_left is null where no limit is set. Never more than the included credit: an account has what is reserved in its two credits.
create or replace function app.ai_kept_over_month(p_included numeric, p_limit_left numeric, p_purchased numeric, p_reserved numeric)
returns numeric
language sql immutable
as $$
  select greatest(least(p_included, p_limit_left, p_reserved), p_reserved - p_purchased, 0)
$$;

-- The turn of the month. The first statement of the new month rolls the account over, under the account's row lock; later ones
-- find it done.
--
-- Included credit expires. The part that reservations of the ended month still need is carried over for them alone, and
-- expires when they end without using it (ai_expire_carried_over).
create or replace function app.ai_roll_over(p_customer uuid, p_month text, p_now timestamptz) returns boolean
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  settings ai_settings;
  limit_left numeric;
  kept numeric;
  expired numeric;
  granted numeric;
  turned_on boolean;
  former_month text;
begin
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
  former_month := acc.month;
  update ai_account
  set month = p_month, month_granted = granted, month_usage = 0, month_included_usage = 0, carried_over = kept,
      included = acc.included, ledger_sequence = acc.ledger_sequence, told_thresholds = '{}', next_threshold_at = 0
  where customer_id = p_customer
  returning * into acc;
  -- The first month of an account renews nothing.
  if turned_on and former_month <> '0000-00' then
    select * into settings from ai_settings s where s.customer_id = p_customer;
    perform app.record_ai_credit_event(p_customer, 'ai.credit.renewed', acc, settings, null);
  end if;
  return true;
end $$;

-- The part of an account's carried over credit that no pending reservation of an ended month needs; p_settled are settled by the caller,
-- which has not yet stored that. No SQL function: a cluster's node does not find a customer in a row that is its parameter.
create or replace function app.ai_unneeded_carried_over(p_account ai_account, p_settled uuid[]) returns numeric
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
declare
  needed numeric;
begin
  select coalesce(sum(r.amount), 0) into needed from ai_reservation r
  where r.customer_id = p_account.customer_id and r.state = 'pending' and r.month < p_account.month and r.id <> all (p_settled);
  return greatest(p_account.carried_over - needed, 0);
end $$;

-- Lets included credit of an ended month expire as soon as no reservation of that month needs it any more. The caller holds
-- the account's lock and has resolved a reservation that was made before the account was rolled over. The month's limit falls by what
-- expires: the customer may have passed a threshold by it.
create or replace function app.ai_expire_carried_over(p_customer uuid, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  expired numeric;
begin
  select * into acc from ai_account where customer_id = p_customer;
  expired := app.ai_unneeded_carried_over(acc, '{}');
  if expired > 0 then
    -- An expiry counts in the month that ended.
    insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
    values (p_customer, acc.ledger_sequence + 1, 'expiry', 'included', -expired, acc.included - expired,
            to_char((acc.month || '-01')::date - 1, 'YYYY-MM'), 'system', p_now);
    update ai_account
    set included = acc.included - expired, carried_over = acc.carried_over - expired, ledger_sequence = acc.ledger_sequence + 1
    where customer_id = p_customer;
  end if;
  -- A settlement may have let some expire before, for a late call.
  perform app.ai_announce_thresholds(p_customer);
end $$;

-- Grants the difference to the month's included credit, when the operator raised it or enabled AI within the month. A lower amount
-- holds from the next month on. Idempotent: month_granted counts the credit that was granted.
-- Returns the amount granted; 0 if there is none.
create or replace function app.ai_grant_difference(p_customer uuid, p_month text, p_now timestamptz, p_actor text) returns numeric
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  acc ai_account;
  difference numeric;
begin
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
end $$;
