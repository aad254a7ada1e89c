-- Why nothing is reserved for a call that needs p_needed at least: the total limit leaves less, whatever the credit; calls in
-- progress have reserved what would cover it; or the credit does not cover it. A total limit that is null is none.
create function app.ai_reservation_refusal(
  p_needed numeric, p_total_left numeric, p_spendable numeric, p_reserved numeric) returns text
language sql immutable
as $$
  select case
    when p_needed > p_total_left then 'over_limit'
    when p_needed <= p_spendable and p_reserved > 0 then 'in_progress'
    else 'exhausted'
  end
$$
