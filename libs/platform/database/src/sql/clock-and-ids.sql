-- The one clock: whatever is booked, expired or due is decided by it. The instant at which the transaction began, so all
-- that one transaction writes has one time. Plain SQL, so that PostgreSQL puts its body in place of the call, at no cost.
-- Tests replace the function in their own database; no login of the service may.
create or replace function app.now() returns timestamptz language sql stable parallel safe as $$
  select now()
$$;

-- A UUIDv7 (RFC 9562) for a row of a table that grows without end: the newest rows stay together, and months of rows can be
-- partitions. 48 bits are the milliseconds of the database's clock, 12 bits their fraction (method 3 of section 6.2), the
-- last eight bytes those of the seed, a random UUID, so that who chose it recognises the id. The time is that of
-- the call, not of the transaction's begin: ids made one after another in one transaction are in that order.
--
-- A body that is parsed once: it means the same whatever the caller's search_path is, and takes the place of the call. It has
-- few operations, since each transaction sets them up anew: the first digit is 0, and only it, from the year 2004 to 2527; the
-- variant is the seed's.
create or replace function app.new_id(seed uuid default gen_random_uuid()) returns uuid language sql volatile parallel safe
return (
  '0' || overlay(to_hex((date_part('epoch', app.now() + (clock_timestamp() - now())) * 1000000)::bigint * 512 / 125)
    placing '7' from 12 for 0) || right(seed::text, 17))::uuid;

-- The least id that app.new_id() gives at this moment or later: a bound for ids by time. No id is of a time before 1970, nor of
-- one after 2540, from which on the product exceeds a bigint.
create or replace function app.first_id(moment timestamptz) returns uuid language sql stable strict parallel safe
return (
  overlay(lpad(to_hex((least(greatest(date_part('epoch', moment), 0), 18000000000) * 1000000)::bigint * 512 / 125), 15, '0') placing '7' from 13 for 0)
  || '8000000000000000')::uuid;
