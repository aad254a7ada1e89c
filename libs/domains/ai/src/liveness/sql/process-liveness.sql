-- A process's sign of life, once a second. It shows in the database which processes live.
--
-- Silence is measured in time during which the database served somebody (app.count_served_time): every heartbeat adds the time
-- since the last one. So a database that was down or stopped, or a clock that jumped, makes nobody look dead.
--
-- Each node of a cluster has these tables for itself, and every process gives a sign to each (app.run_on_nodes): a node that
-- is down keeps nobody from giving signs to the others, and its own time stands still meanwhile.
--
-- The API's role may not read these tables, so a process's id is known to that process alone: nobody who has its login can
-- keep another process alive, or end it.
--
-- Returns the database's time.
create or replace function app.process_heartbeat(p_process uuid) returns timestamptz
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
declare
  moment timestamptz := clock_timestamp();
  served interval := app.count_served_time();
begin
  insert into process_liveness (id, seen, seen_at) values (p_process, served, moment)
  on conflict (id) do update set seen = excluded.seen, seen_at = excluded.seen_at;
  return moment;
end $$;

-- A process says that it ends: its reservations are given back at once.
create or replace function app.end_process(p_process uuid) returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  delete from process_liveness where id = p_process;
end $$;

-- Whether a process has given no sign of life for ten seconds of the database's service (see above), or has said that it
-- ends. A lost connection alone ends nothing. Null, of which nothing is known, is not gone.
create or replace function app.process_is_gone(p_process uuid) returns boolean
language sql stable
as $$
  select p_process is not null and not exists (
    select from public.process_liveness p cross join public.liveness_clock c
    where p.id = p_process and c.served - p.seen <= interval '10 seconds')
$$;

-- Runs a statement on each worker of a cluster, on all at once, as the role that calls; on one server there is none. A node that
-- is down is left out.
create or replace function app.run_on_nodes(p_statement text) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if exists (select from pg_extension where extname = 'citus') then
    perform from run_command_on_workers(p_statement);
  end if;
end $$;
