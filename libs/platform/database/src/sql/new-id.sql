-- A UUIDv7 (RFC 9562) for a row of a table that grows without end: the newest rows stay together, and months of rows can be
-- partitions. 48 bits are the milliseconds of the database's clock, 12 bits their fraction (method 3 of section 6.2), the
-- last eight bytes random: those of the seed, if one is given, so that who chose it recognises the id. The time is that of
-- the call, not of the transaction's begin: ids made one after another in one transaction are in that order.
--
-- A body that is parsed once: it means the same whatever the caller's search_path is, and takes the place of the call.
create function app.new_id(seed uuid default gen_random_uuid()) returns uuid language sql volatile parallel safe
return (
  overlay(lpad(to_hex((date_part('epoch', app.now() + (clock_timestamp() - now())) * 1000000)::bigint * 512 / 125), 15, '0')
    placing '7' from 13 for 0)
  || encode(substr(set_bit(set_bit(uuid_send(seed), 71, 1), 70, 0), 9), 'hex'))::uuid
