-- Drops the rows of a month (UTC) that ended more than a month ago: detaches its partition and drops it. False: there is none.
--
-- Whoever uses the table waits meanwhile: some milliseconds, for the files are removed after the commit. For the right to do
-- so this waits 100 ms at most, and fails otherwise (55P03): a caller who waits for it delays everybody behind it.
create function app.drop_partition(p_table text, p_month date) returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '100ms'
as $$
declare
  month constant date := date_trunc('month', p_month);
  partition constant regclass := (select i.inhrelid from pg_inherits i
    join pg_class c on c.oid = i.inhparent and c.relnamespace = 'public'::regnamespace and c.relname = p_table
    where i.inhrelid = to_regclass(format('partitions.%I', p_table || to_char(month, '"_"YYYY"_"MM'))));
begin
  if app.now() < (month + interval '2 months') at time zone 'UTC' then
    raise exception 'the month % is too recent to be dropped', to_char(month, 'YYYY-MM') using errcode = 'invalid_parameter_value';
  end if;
  if partition is null then
    return false;
  end if;
  execute format('alter table public.%I detach partition %s', p_table, partition);
  execute format('drop table %s', partition);
  return true;
end $$
