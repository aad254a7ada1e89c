/** The months that a table ($1) has partitions of. */
const MONTHS = `
  select to_date(right(p.relname, 7), 'YYYY_MM') as month from pg_inherits i
  join pg_class p on p.oid = i.inhrelid and p.relname ~ '_\\d{4}_\\d{2}$'
  where i.inhparent = (select oid from pg_class where relnamespace = 'public'::regnamespace and relname = $1)`;

/** The months of a table ($1) that ended before the last $2 months and the present one. */
export const EXPIRED = `
  select month::text from (${MONTHS}) m
  where month < date_trunc('month', app.now() at time zone 'UTC') - make_interval(months => $2) order by 1`;

/** The statement that counts the rows of a table ($1) that lie in none of its months. */
export const STRAY_ROWS = `
  select format(
    'select count(*)::int as rows from (select 1 from public.%I where id < %L or id >= %L limit 10000) stray', $1::text,
    app.first_id(min(month)::timestamp at time zone 'UTC'),
    app.first_id((max(month) + interval '1 month') at time zone 'UTC')) as statement
  from (${MONTHS}) m having count(*) > 0`;

/** The least id of the oldest month of a table ($1). */
export const OLDEST_ID = `select app.first_id(min(month)::timestamp at time zone 'UTC') as id from (${MONTHS}) m`;
