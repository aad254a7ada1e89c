-- Stores refused requests, each as many milliseconds ago as its process measured: the database's clock dates it. The API may add such
-- rows and not read them.
create or replace function app.keep_refused_requests(p_requests jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  present constant timestamptz := app.now();
  r record;
begin
  -- Row by row: a cluster writes no list of rows under row level security.
  for r in
    select * from jsonb_to_recordset(p_requests) as q (
      customer_id uuid, request_id text, token_id uuid, fingerprint text, network text, method text, route text, status smallint,
      code text, detail text, upstream text, duration_ms integer, age_ms double precision)
  loop
    insert into refused_request
      (customer_id, id, request_id, token_id, fingerprint, network, method, route, status, code, detail, upstream, duration_ms, created_at)
    values (r.customer_id, app.new_id(), r.request_id, r.token_id, r.fingerprint, r.network, r.method, r.route, r.status, r.code,
      r.detail, r.upstream, r.duration_ms, present - make_interval(secs => greatest(0, r.age_ms) / 1000));
  end loop;
end $$;
