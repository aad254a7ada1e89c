-- The included credit of a month, in NOK: the sum over the customer's active services of type ai.
create function app.ai_included_credit(p_customer uuid) returns numeric
language sql stable
as $$
  select coalesce(sum(app.ai_included_credit_of(config)), 0)::numeric(24,12)
  from public.customer_service where customer_id = p_customer and type = 'ai' and status = 'active'
$$
