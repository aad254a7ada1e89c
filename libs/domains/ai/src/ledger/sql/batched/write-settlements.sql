-- Writes what ai_settle has computed: the calls' usage rows in place of their reservations, the ledger entries, and the accounts
-- that they change, and the sums of the day. The reservations of p_late_ids had been given up, and stay.
create function app.ai_write_settlements(
  p_accounts ai_account[], p_usages ai_usage[], p_entries ai_ledger_entry[], p_late_owners uuid[], p_late_ids uuid[],
  p_time_zone text)
returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  with gone as (
    -- Not by their state: the index of the pending ones, nearly empty whenever it is analyzed, would seem better than the
    -- primary key, and has an entry of every call that the customer has made since the last vacuum.
    delete from ai_reservation r using unnest(p_usages) u
    where r.customer_id = u.customer_id and r.id = u.id and r.id <> all (p_late_ids)),
  used as (
    insert into ai_usage select * from unnest(p_usages)),
  summed as (
    insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
      cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
    select u.customer_id, (u.created_at at time zone p_time_zone)::date, u.model,
           coalesce(u.token_id, '00000000-0000-0000-0000-000000000000'), count(*), sum(u.input_tokens),
           sum(u.cache_write_5m_tokens), sum(u.cache_write_1h_tokens), sum(u.cache_read_tokens), sum(u.output_tokens),
           sum(u.cost), sum(u.uncovered), sum(u.paid_from_included), sum(u.paid_from_purchased)
    from unnest(p_usages) u
    group by 1, 2, 3, 4
    on conflict (customer_id, day, model, token_id) do update
    set calls = d.calls + excluded.calls, input_tokens = d.input_tokens + excluded.input_tokens,
        cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
        cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
        cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
        output_tokens = d.output_tokens + excluded.output_tokens, cost = d.cost + excluded.cost,
        uncovered = d.uncovered + excluded.uncovered, paid_from_included = d.paid_from_included + excluded.paid_from_included,
        paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased),
  booked as (
    insert into ai_ledger_entry select * from unnest(p_entries))
  update ai_account a
  set included = s.included, carried_over = s.carried_over, purchased = s.purchased, reserved = s.reserved,
      month_usage = s.month_usage, month_included_usage = s.month_included_usage, ledger_sequence = s.ledger_sequence
  from unnest(p_accounts) s
  where a.customer_id = s.customer_id and a.ledger_sequence <> s.ledger_sequence;
  if cardinality(p_late_ids) > 0 then
    update ai_reservation r set state = 'settled_late' from unnest(p_late_owners, p_late_ids) as l (customer, id)
    where r.customer_id = l.customer and r.id = l.id;
  end if;
end $$
