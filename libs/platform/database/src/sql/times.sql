-- The month (YYYY-MM) of a moment, in the billing time zone.
create or replace function app.billing_month(p_moment timestamptz, p_time_zone text) returns text
language sql stable
as $$
  select pg_catalog.to_char(p_moment at time zone p_time_zone, 'YYYY-MM')
$$;

-- A moment as the API writes it: RFC 3339 in UTC, to the microsecond.
create or replace function app.json_time(p_moment timestamptz) returns text
language sql immutable
as $$
  select pg_catalog.to_char(p_moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
