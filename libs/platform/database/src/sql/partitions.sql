-- Gives a partition the row level security of its table: a partition has none of its own, and who names it directly would
-- see every customer. It has no grants either: all goes through its table.
create or replace function app.secure_partition(p_table regclass, p_partition regclass) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  policy record;
begin
  execute format('alter table %s enable row level security', p_partition);
  execute format('alter table %s force row level security', p_partition);
  for policy in
    select p.polname as name, pg_get_expr(p.polqual, p.polrelid) as visible, pg_get_expr(p.polwithcheck, p.polrelid) as accepted,
      (select string_agg(quote_ident(r.rolname), ', ') from pg_roles r where r.oid = any (p.polroles)) as roles
    from pg_policy p where p.polrelid = p_table
  loop
    execute format('create policy %I on %s to %s using (%s) with check (%s)',
      policy.name, p_partition, policy.roles, policy.visible, policy.accepted);
  end loop;
end $$;

-- Creates the partition of a month (UTC) of a table that is partitioned by ids that carry time. False: there is one already.
--
-- Rows of that month that the default partition has taken in meanwhile move to it. Whoever uses the default partition waits
-- until the transaction ends; for that right this one waits 100 ms at most, and fails otherwise (55P03).
create or replace function app.create_partition(p_table text, p_month date) returns boolean
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
end $$;

-- Drops the rows of a month (UTC) that ended more than a month ago: detaches its partition and drops it. False: there is none.
--
-- Whoever uses the table waits meanwhile: some milliseconds, for the files are removed after the commit. For the right to do
-- so this waits 100 ms at most, and fails otherwise (55P03): a caller who waits for it delays everybody behind it.
create or replace function app.drop_partition(p_table text, p_month date) returns boolean
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
end $$;
