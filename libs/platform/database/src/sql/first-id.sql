-- The least id that app.new_id() gives at this moment or later: a bound for ids by time.
create function app.first_id(moment timestamptz) returns uuid language sql stable strict parallel safe
return (
  overlay(lpad(to_hex((date_part('epoch', moment) * 1000000)::bigint * 512 / 125), 15, '0') placing '7' from 13 for 0)
  || '8000000000000000')::uuid
