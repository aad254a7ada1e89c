-- An account has two credits: included credit, which expires with its month, and purchased credit, which does not.

-- The credit of an account that may be spent: included credit up to the rest of the month's limit, and all purchased credit.
-- p_limit_left is null where no limit is set.
create or replace function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric) returns numeric
language sql immutable
as $$
  select greatest(least(p_included, p_limit_left), 0) + p_purchased
$$;

-- The free credit of an account, which new reservations can use: what may be spent, within the rest of the month's total limit, less
-- what is reserved. p_total_left is null where no limit is set. Below zero after a limit was lowered beneath what is reserved.
create or replace function app.ai_free_credit(p_spendable numeric, p_total_left numeric, p_reserved numeric) returns numeric
language sql immutable
as $$
  select least(p_spendable, p_total_left) - p_reserved
$$;

-- The part of a charge that purchased credit pays. Included credit is used first: p_carried, which the turn of the month kept
-- for this call, and then up to p_included of the rest. Beyond that included credit pays only where purchased credit does not
-- reach: the month's limit was lowered after the credit had been reserved.
create or replace function app.ai_paid_from_purchased(
  p_charge numeric, p_carried numeric, p_included numeric, p_purchased numeric) returns numeric
language sql immutable
as $$
  select least(p_charge - p_carried - least(p_charge - p_carried, p_included), p_purchased)
$$;

-- The most that calls can cost in a month of which p_usage has been used, p_included_usage of that from included credit: included credit
-- up to the month's limit, and the purchased credit that was used or is left. Never less than was used. A limit is null where none is set.
create or replace function app.ai_month_limit_of(p_usage numeric, p_included_usage numeric, p_included numeric, p_purchased numeric,
  p_monthly_limit numeric, p_total_limit numeric) returns numeric
language sql immutable
as $$
  select greatest(p_usage, least(p_total_limit,
    greatest(p_included_usage, least(p_included_usage + p_included, p_monthly_limit)) + (p_usage - p_included_usage) + p_purchased))
$$;

-- The most that calls can cost in the account's month.
create or replace function app.ai_month_limit(p_account ai_account, p_settings ai_settings) returns numeric
language sql immutable
as $$
  select app.ai_month_limit_of(p_account.month_usage, p_account.month_included_usage, p_account.included, p_account.purchased,
    p_settings.monthly_limit, p_settings.total_limit)
$$;
