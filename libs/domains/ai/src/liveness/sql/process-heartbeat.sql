-- A process's sign of life, once a second. It makes visible in the database who still lives.
--
-- Silence is measured in time during which the database served somebody: every heartbeat adds the time since the last one,
-- at most two seconds. So a database that was down or stopped, or a clock that jumped, makes nobody look dead.
-- This is physical time: it follows the machine's clock, not the one that books are dated by.
--
-- Returns the database's time.
create function app.process_heartbeat(p_process uuid) returns timestamptz
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  moment timestamptz := clock_timestamp();
  served interval;
begin
  update liveness_clock
  set served = liveness_clock.served + greatest(interval '0', least(moment - ticked_at, interval '2 seconds')), ticked_at = moment
  where id
  returning liveness_clock.served into served;
  insert into process_liveness (id, seen, seen_at) values (p_process, served, moment)
  on conflict (id) do update set seen = excluded.seen, seen_at = excluded.seen_at;
  return moment;
end $$
