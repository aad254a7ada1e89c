-- The month (YYYY-MM) of a moment, in the billing time zone.
create or replace function app.billing_month(p_moment timestamptz, p_time_zone text) returns text
language sql stable
as $$
  select pg_catalog.to_char(p_moment at time zone p_time_zone, 'YYYY-MM')
$$;
