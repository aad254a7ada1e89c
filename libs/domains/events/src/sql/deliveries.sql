-- The outbox of webhooks: who gets an event is decided when it gets its position, in the same transaction.

-- Makes the deliveries of events to the endpoints that want them: the customer's own, and the operator's, whose owner is the nil UUID.
-- The events' ids, types, and whether only the operator gets them, in the same order.
create or replace function app.make_deliveries(
  p_customer uuid, p_events uuid[], p_types text[], p_operator_only boolean[], p_now timestamptz)
returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  owner uuid;
  endpoint webhook_endpoint;
begin
  -- One owner after the other: on a cluster each has its rows on another node.
  foreach owner in array case when p_customer = nobody then array[nobody] else array[p_customer, nobody] end loop
    for endpoint in select w.* from webhook_endpoint w where w.customer_id = owner loop
      -- One by one: under row level security a cluster refuses to insert a list.
      for place in 1 .. cardinality(p_events) loop
        continue when (p_operator_only[place] and owner <> nobody)
          or (endpoint.event_types is not null and p_types[place] <> all (endpoint.event_types));
        insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, state, next_attempt_at, created_at)
        values (owner, app.new_id(), endpoint.id, p_customer, p_events[place],
          case when endpoint.disabled_at is null then 'pending' else 'missed' end,
          case when endpoint.disabled_at is null then p_now end, p_now);
      end loop;
    end loop;
  end loop;
end $$;
