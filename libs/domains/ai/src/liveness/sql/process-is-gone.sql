-- Whether a process has given no sign of life for ten seconds of the database's service (process-heartbeat.sql), or has said
-- that it ends. A lost connection alone ends nothing. Null, of which nothing is known, is not gone.
create function app.process_is_gone(p_process uuid) returns boolean
language sql stable
as $$
  select p_process is not null and not exists (
    select from public.process_liveness p cross join public.liveness_clock c
    where p.id = p_process and c.served - p.seen <= interval '10 seconds')
$$
