-- Creates the partition of a month (UTC) of a table that is partitioned by ids that carry time. False: there is one already.
--
-- Rows of that month that the default partition has taken in meanwhile move to it. Whoever uses the default partition waits
-- until the transaction ends; for that right this one waits 100 ms at most, and fails otherwise (55P03).
create function app.create_partition(p_table text, p_month date) returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '100ms'
as $$
declare
  month constant date := date_trunc('month', p_month);
  lower_bound constant uuid := app.first_id(month::timestamp at time zone 'UTC');
  upper_bound constant uuid := app.first_id((month + interval '1 month') at time zone 'UTC');
  parent constant regclass := (select c.oid from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'p' and c.relname = p_table);
  partition constant text := format('partitions.%I', p_table || to_char(month, '"_"YYYY"_"MM'));
  other constant text := format('partitions.%I', p_table || '_default');
  held constant text := format('partitions.%I', p_table || '_moved');
  creation constant text := format('create table %s partition of %s for values from (%L) to (%L)',
    partition, parent, lower_bound, upper_bound);
begin
  if parent is null then
    raise exception 'no table % is partitioned', p_table using errcode = 'undefined_table';
  end if;
  if to_regclass(partition) is not null then
    return false;
  end if;
  begin
    execute creation;
  exception when check_violation then
    execute format('create table %s (like %s)', held, parent);
    execute format('lock table %s in access exclusive mode', other);
    -- Forced row level security holds for the owner, too, who is no role of the service.
    execute format('alter table %s no force row level security', other);
    execute format('insert into %s select * from %s where id >= %L and id < %L', held, other, lower_bound, upper_bound);
    execute format('delete from %s where id >= %L and id < %L', other, lower_bound, upper_bound);
    execute format('alter table %s force row level security', other);
    execute creation;
    execute format('insert into %s select * from %s', partition, held);
    execute format('drop table %s', held);
  end;
  perform app.secure_partition(parent, partition::regclass);
  return true;
end $$
