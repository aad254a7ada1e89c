-- What may be spent of an account: included credit up to what the month's limit leaves of it, and all purchased credit.
-- p_limit_left is null where no limit is set.
create function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric) returns numeric
language sql immutable
as $$
  select greatest(least(p_included, p_limit_left), 0) + p_purchased
$$
