-- Tells the operator, as an event, that the AI provider does not answer; not again within ten minutes.
create or replace function app.announce_ai_upstream_down() returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  since constant uuid := app.first_id(app.now() - interval '10 minutes');
begin
  -- Every process of the API sees it.
  perform pg_advisory_xact_lock(hashtextextended('ai.upstream_down', 0));
  if exists (select from event e where e.customer_id = nobody and e.id >= since and e.type = 'ai.upstream_down') then
    return;
  end if;
  perform app.record_operator_event(nobody, 'ai.upstream_down', json_build_object('upstream', 'ai-provider'),
    json_build_object('upstream', 'ai-provider', 'since', app.json_time(app.now())));
end $$;
