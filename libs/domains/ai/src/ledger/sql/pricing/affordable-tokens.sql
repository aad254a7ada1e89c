-- How many output tokens p_credit buys, at most those wanted. Negative: none, not even the input that it was reduced by.
create function app.ai_affordable_tokens(p_wanted integer, p_rate numeric, p_credit numeric) returns integer
language sql immutable
as $$
  select (case
    when p_wanted * p_rate * 0.000001 <= p_credit then p_wanted
    when p_rate <= 0 or p_credit < 0 then -1
    -- The quotient may be rounded up, hence the step back.
    when trunc(p_credit * 1000000 / p_rate) * p_rate * 0.000001 > p_credit then trunc(p_credit * 1000000 / p_rate) - 1
    else trunc(p_credit * 1000000 / p_rate)
  end)::integer
$$
