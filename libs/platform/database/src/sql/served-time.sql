-- The time during which the database has served somebody, counted by the signs of life that every process gives once a second
-- (libs/domains/ai/src/liveness). What is given up because a process has not ended it is given up by this time: an outage makes
-- nobody late.
-- This is physical time: it follows the machine's clock, not the one that books are dated by.
--
-- Each node of a cluster counts for itself: one that is down has a time that stands still meanwhile.

-- Counts the time since the last call, at most two seconds. Three seconds without a call are an outage: of the server, or of all
-- connections to it. Returns the time served.
create or replace function app.count_served_time() returns interval
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  moment timestamptz := clock_timestamp();
  total interval;
begin
  update liveness_clock c
  set served = c.served + greatest(interval '0', least(moment - c.ticked_at, interval '2 seconds')),
      served_before_outage = case
        when moment - c.ticked_at > interval '3 seconds' then c.served + interval '2 seconds' else c.served_before_outage end,
      ticked_at = moment
  where id
  returning c.served into total;
  return total;
end $$;

-- Whether the database has served for a minute since its last outage. Until then processes may be storing outcomes that waited for
-- it, one after the other, and their callers were told them: nobody is to say first that they are unknown. An outage whose end no
-- process has noticed yet is none that is over.
create or replace function app.outage_is_over() returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  return exists (
    select from liveness_clock c
    where clock_timestamp() - c.ticked_at <= interval '3 seconds' and c.served - c.served_before_outage >= interval '1 minute');
end $$;
