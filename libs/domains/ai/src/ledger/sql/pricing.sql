-- The price of a model that is valid at a moment: that of a call is the one at its reservation, and settlement uses it as well.
-- Without a setting of its own, so that it becomes a part of the statement that asks.
create or replace function app.ai_price_at(p_model text, p_moment timestamptz) returns setof ai_model_price
language sql stable
as $$
  select * from public.ai_model_price where model = p_model and valid_from <= p_moment order by valid_from desc limit 1
$$;

-- The most that a call's input can cost: its tokens, at the highest of the prices that they may be charged at.
create or replace function app.ai_input_ceiling(
  p_tokens integer, p_cache text, p_input numeric, p_write_5m numeric, p_write_1h numeric, p_read numeric) returns numeric
language sql immutable
as $$
  -- A rate is multiplied by 0.000001, never divided by a million: division rounds.
  select p_tokens * 0.000001 * case p_cache
    when '1h' then greatest(p_input, p_read, p_write_5m, p_write_1h)
    when '5m' then greatest(p_input, p_read, p_write_5m)
    else greatest(p_input, p_read) end
$$;

-- The price of a reservation: the most that a call can cost, by the ceiling of its input and the most tokens of its output.
create or replace function app.ai_reserved_amount(p_input_ceiling numeric, p_tokens integer, p_rate numeric) returns numeric
language sql immutable
as $$
  select p_input_ceiling + p_tokens * p_rate * 0.000001
$$;

-- How many output tokens p_credit buys, at most those wanted. Negative: none, not even the input that it was reduced by.
create or replace function app.ai_affordable_tokens(p_wanted integer, p_rate numeric, p_credit numeric) returns integer
language sql immutable
as $$
  select (case
    when p_wanted * p_rate * 0.000001 <= p_credit then p_wanted
    when p_rate <= 0 or p_credit < 0 then -1
    -- The quotient may be rounded up, hence the step back.
    when trunc(p_credit * 1000000 / p_rate) * p_rate * 0.000001 > p_credit then trunc(p_credit * 1000000 / p_rate) - 1
    else trunc(p_credit * 1000000 / p_rate)
  end)::integer
$$;

-- The cost of a call: its tokens, each kind at its rate in NOK per million.
create or replace function app.ai_cost(p_call app.ai_settlement, p_price ai_model_price) returns numeric
language sql immutable
as $$
  select (p_call.input * p_price.input + p_call.write_5m * p_price.cache_write_5m + p_call.write_1h * p_price.cache_write_1h
    + p_call.read * p_price.cache_read + p_call.output * p_price.output) * 0.000001
$$;
