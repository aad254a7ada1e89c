-- The pending reservation that was asked for with p_seed: app.new_id kept the last eight bytes of it. For a caller whose reply
-- was lost, who does not know the id.
create function app.ai_reservation_of(p_customer uuid, p_seed uuid) returns uuid
language sql stable
as $$
  select r.id from public.ai_reservation r
  where r.customer_id = p_customer and r.state = 'pending' and right(r.id::text, 17) = right(p_seed::text, 17)
$$
