-- Adds a call to the sums of its day, model and token. A call without a token counts under the nil UUID.
create function app.ai_add_to_day(
  p_customer uuid, p_day date, p_model text, p_token uuid, p_input integer, p_write_5m integer, p_write_1h integer,
  p_read integer, p_output integer, p_cost numeric, p_uncovered numeric, p_from_included numeric, p_from_purchased numeric)
returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
    cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
  values (p_customer, p_day, p_model, coalesce(p_token, '00000000-0000-0000-0000-000000000000'), 1, p_input, p_write_5m,
    p_write_1h, p_read, p_output, p_cost, p_uncovered, p_from_included, p_from_purchased)
  on conflict (customer_id, day, model, token_id) do update
  set calls = d.calls + 1, input_tokens = d.input_tokens + excluded.input_tokens,
      cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens, cost = d.cost + excluded.cost,
      uncovered = d.uncovered + excluded.uncovered, paid_from_included = d.paid_from_included + excluded.paid_from_included,
      paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased;
end $$
