-- How much included credit survives the turn of the month: what calls in progress have reserved of it. They count on included
-- credit within the limit they were made under, and on purchased credit; where the limit was lowered since, on more of it.
-- p_limit_left is null where no limit is set.
create function app.ai_kept_over_month(p_included numeric, p_limit_left numeric, p_purchased numeric, p_reserved numeric)
returns numeric
language sql immutable
as $$
  select least(p_included, greatest(least(p_included, p_limit_left, p_reserved), p_reserved - p_purchased, 0))
$$
