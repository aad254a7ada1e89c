-- Adds to the bytes that a customer stores today (a day of UTC). The last statement of a transaction: whoever waits for the row
-- waits for a commit at most. Above the bound it fails, so that nothing of the transaction is stored; the error's detail is the
-- number of seconds until the next day. Without a bound it only counts. Counts of former days are kept for a month.
create or replace function app.count_stored_bytes(p_customer uuid, p_bytes bigint, p_most bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamp := app.now() at time zone 'UTC';
  today constant date := present::date;
  counted bigint;
begin
  -- A transaction without an id has stored nothing, such as one that a rule refused. On a cluster the nodes' transactions have it.
  if pg_current_xact_id_if_assigned() is null and to_regclass('pg_catalog.pg_dist_node') is null then
    return;
  end if;
  -- An update alone takes half the time of an insert that becomes one.
  update stored_bytes s set bytes = s.bytes + greatest(0, p_bytes) where s.customer_id = p_customer and s.day = today
  returning s.bytes into counted;
  if counted is null then
    insert into stored_bytes as s (customer_id, day, bytes) values (p_customer, today, greatest(0, p_bytes))
    on conflict (customer_id, day) do update set bytes = s.bytes + excluded.bytes
    returning bytes into counted;
  end if;
  if counted > p_most then
    raise exception 'the customer has stored as much as it may on one day' using errcode = 'SB001',
      detail = ceil(extract(epoch from today + 1 - present))::text;
  end if;
  if counted = p_bytes then
    delete from stored_bytes where customer_id = p_customer and day < today - 31;
  end if;
end $$;
