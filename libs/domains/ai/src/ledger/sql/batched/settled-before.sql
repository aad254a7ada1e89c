-- How the calls of a batch were charged that had been settled before, like ai_settle tells it.
create function app.ai_settled_before(p_customers uuid[], p_calls app.ai_settlement[]) returns setof app.ai_settlement_result
language sql stable
as $$
  select c.place::integer, 'settled', u.cost - u.uncovered, u.uncovered, h.id is not null, a.included + a.purchased
  from unnest(p_calls) with ordinality
    as c (owner, id, input, write_5m, write_1h, read, output, upstream_id, streamed, reply_secrets_key, reply, place)
  join public.ai_usage u on u.customer_id = p_customers[c.owner] and u.id = c.id
  join public.ai_account a on a.customer_id = u.customer_id
  left join public.ai_reservation h on h.customer_id = u.customer_id and h.id = u.id
$$
