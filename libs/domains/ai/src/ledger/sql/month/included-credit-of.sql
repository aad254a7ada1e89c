-- The monthly included credit, in NOK, that the config of a service grants. A config that has something else than a sensible
-- number counts as 0, so that it stops no call.
create function app.ai_included_credit_of(p_config jsonb) returns numeric
language sql immutable
as $$
  select case when pg_catalog.jsonb_typeof(p_config -> 'monthly_included_nok') = 'number'
              then least(greatest((p_config ->> 'monthly_included_nok')::numeric, 0), 1000000000) else 0 end
$$
