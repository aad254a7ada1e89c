-- Stores when tokens were last used, each as many milliseconds ago as its caller measured: the database's clock dates it.
create or replace function app.record_token_uses(customers uuid[], tokens uuid[], ages_ms double precision[]) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  owner uuid;
  token uuid;
  used timestamptz;
begin
  for place in 1 .. cardinality(tokens) loop
    owner := customers[place];
    token := tokens[place];
    used := present - make_interval(secs => ages_ms[place] / 1000);
    insert into service_token_use as u (customer_id, token_id, last_used_at) values (owner, token, used)
    on conflict (customer_id, token_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at);
  end loop;
end $$
