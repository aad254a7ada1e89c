-- Gives a partition the row level security of its table: a partition has none of its own, and who names it directly would
-- see every customer. It has no grants either: all goes through its table.
create function app.secure_partition(p_table regclass, p_partition regclass) returns void
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
end $$
