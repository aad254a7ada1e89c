-- The included credit of a month, in NOK: the sum over the customer's active services of type ai. A config that has something
-- else than a sensible number counts as 0, so that it stops no call.
create function app.ai_included_credit(p_customer uuid) returns numeric
language sql stable
as $$
  select coalesce(sum(least(greatest((config ->> 'monthly_included_nok')::numeric, 0), 1000000000)), 0)::numeric(24,12)
  from public.customer_service
  where customer_id = p_customer and type = 'ai' and status = 'active'
    and jsonb_typeof(config -> 'monthly_included_nok') = 'number'
$$
