-- Adds calls to the sums of their day, model and token. Calls without a token count under the nil UUID.
create function app.ai_add_to_day(p_customer uuid, p_calls ai_usage_day) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
    cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
  values (p_customer, p_calls.day, p_calls.model,
    coalesce(p_calls.token_id, '00000000-0000-0000-0000-000000000000'), p_calls.calls, p_calls.input_tokens,
    p_calls.cache_write_5m_tokens, p_calls.cache_write_1h_tokens, p_calls.cache_read_tokens, p_calls.output_tokens,
    p_calls.cost, p_calls.uncovered, p_calls.paid_from_included, p_calls.paid_from_purchased)
  on conflict (customer_id, day, model, token_id) do update
  set calls = d.calls + excluded.calls, input_tokens = d.input_tokens + excluded.input_tokens,
      cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens, cost = d.cost + excluded.cost,
      uncovered = d.uncovered + excluded.uncovered, paid_from_included = d.paid_from_included + excluded.paid_from_included,
      paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased;
end $$
