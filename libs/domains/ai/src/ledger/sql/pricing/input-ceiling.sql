-- The most that a call's input can cost: its tokens, at the highest of the prices that they may be charged at.
create function app.ai_input_ceiling(
  p_tokens integer, p_cache text, p_input numeric, p_write_5m numeric, p_write_1h numeric, p_read numeric) returns numeric
language sql immutable
as $$
  -- A rate is multiplied by 0.000001, never divided by a million: division rounds.
  select p_tokens * 0.000001 * case p_cache
    when '1h' then greatest(p_input, p_read, p_write_5m, p_write_1h)
    when '5m' then greatest(p_input, p_read, p_write_5m)
    else greatest(p_input, p_read) end
$$
