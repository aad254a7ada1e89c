import { globSync, readFileSync } from 'node:fs';
import { describeCatalogueRules, FUNCTION_STATEMENTS } from '@test/suites/catalogue-rules.suite';

/** Functions for the ledger's batches of many customers: on a cluster their counterparts for one customer run. */
const BATCHED = ['ai_reserve', 'ai_settle', 'ai_settled_before', 'ai_write_settlements', 'complete_idempotency_keys'];
/** They work on many customers, one after the other, or on none. */
const NOBODYS = [
  'set_customer',
  'record_token_uses',
  'keep_refused_requests',
  'count_served_time',
  'process_heartbeat',
  'end_process',
  'create_partition',
  'drop_partition',
  'secure_partition',
  // The queue's tables are no customer's: they are the coordinator's own.
  'enqueue',
];
const among = (names: string[]) => `(${names.map((name) => `'${name}'`).join(', ')})`;

const CHANGES = String.raw`statement ~ '\m(update\s+\w|delete\s+from)'`;
const WRITES = String.raw`prosrc ~* '\m(insert\s+into|delete\s+from|update\s+\w|for\s+(no\s+key\s+)?update)'`;
/** What an update sets and what it looks for: what stands before that is evaluated once, or is an insert's values. */
const SET_OR_WHERE = String.raw`regexp_replace(statement, '^.*?\m(update\s+\w|delete\s+from)', '')`;
const VOLATILE = `(select string_agg(distinct proname, '|') from pg_proc
  where provolatile = 'v' and pronamespace in ('pg_catalog'::regnamespace, 'app'::regnamespace))`;
/** The functions that write, by themselves or through others. */
const WRITERS = String.raw`(with recursive writer as (
    select proname from pg_proc where pronamespace = 'app'::regnamespace and ${WRITES}
    union
    select p.proname from pg_proc p join writer w on p.prosrc ~ ('\mapp\.' || w.proname || '\(')
    where p.pronamespace = 'app'::regnamespace)
  select string_agg(proname, '|') from writer)`;
const TABLES = `(select string_agg(relname, '|') from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace)`;
/** A statement without the loop or the condition that it stands in. */
const INNERMOST = String.raw`regexp_replace(statement, '^.*\m(loop|then|else|begin)\M', '')`;
const functionWith = (body: string) =>
  `create function app.f(p_customer uuid) returns void language plpgsql as $$ begin ${body} end $$`;

describeCatalogueRules('what the schema must be like to run on a cluster too', [
  {
    rule: 'no policy is restrictive: a cluster makes it permissive on its shards',
    broken: `select tablename || ': ' || policyname as name from pg_policies where permissive <> 'PERMISSIVE'`,
    breaks: ['create policy p on invoice as restrictive using (true)', 'invoice: p'],
  },
  {
    rule: 'no policy has a sub-select',
    broken: `select polrelid::regclass || ': ' || polname as name from pg_policy
      where concat(polqual::text, polwithcheck::text) ~ '\\{(SUBLINK|QUERY)'`,
    breaks: ['create policy p on invoice using (customer_id = (select id from customer limit 1))', 'invoice: p'],
  },
  {
    rule: 'no policy tests for null or truth: coalesce(…, false) can be distributed, (…) is true cannot',
    broken: `select polrelid::regclass || ': ' || polname as name from pg_policy
      where concat(polqual::text, polwithcheck::text) ~ '\\{(NULLTEST|BOOLEANTEST)'`,
    breaks: [`create policy p on invoice using ((status <> 'draft') is true)`, 'invoice: p'],
  },
  {
    rule: 'a row’s customer is a uuid and never null',
    broken: `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'customer_id'
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
        and (a.atttypid <> 'uuid'::regtype or not a.attnotnull)`,
    breaks: ['create table t (customer_id text not null, id uuid not null)', 't'],
  },
  {
    rule: 'a table with a customer in its rows has them first in its primary key, and so is distributed: all but the tokens',
    broken: `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'customer_id'
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname <> 'service_token'
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and i.indkey[0] = a.attnum)`,
    breaks: ['create table t (id uuid primary key, customer_id uuid not null)', 't'],
  },
  {
    rule: 'what every node has a copy of is seldom written: by the API only its signs of life',
    // The privileges of columns have those of whole tables, but for deletions.
    broken: `select distinct g.table_name as name from (
        select grantee, table_schema, table_name, privilege_type from information_schema.column_privileges
        union select grantee, table_schema, table_name, privilege_type from information_schema.role_table_grants) g
      join pg_index i on i.indrelid = g.table_name::regclass and i.indisprimary
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attname <> 'customer_id'
      where g.table_schema = 'public' and g.grantee = 'customer_api' and g.privilege_type <> 'SELECT'
        and g.table_name not in ('process_liveness', 'liveness_clock')`,
    breaks: ['grant insert (number) on invoice_number to customer_api', 'invoice_number'],
  },
  {
    rule: 'a function in SQL that reads a table has no row as a parameter: a node does not find the customer in it',
    broken: `select p.oid::regprocedure::text as name from pg_proc p join pg_language l on l.oid = p.prolang
      where p.pronamespace = 'app'::regnamespace and l.lanname = 'sql' and p.prosrc ~* '\\mfrom\\s+[a-z]'
        and exists (select from unnest(p.proargtypes) t join pg_type y on y.oid = t and y.typtype = 'c')`,
    breaks: [
      `create function app.f(p_account ai_account) returns bigint language sql stable
       as $$ select count(*) from public.ai_usage where customer_id = p_account.customer_id $$`,
      'app.f(ai_account)',
    ],
  },
  {
    rule: 'no function names a row by its place (ctid), which is another on every shard',
    broken: `select distinct name from ${FUNCTION_STATEMENTS} where statement ~ '\\mc?tid\\M'`,
    breaks: [functionWith('delete from invoice where ctid is null;'), 'app.f(uuid)'],
  },
  {
    rule: 'a function that writes is for one customer, its first parameter',
    broken: `select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'app'::regnamespace and ${WRITES}
      and p.proname not in ${among([...BATCHED, ...NOBODYS])}
      and (p.proargtypes[0] is distinct from 'uuid'::regtype or p.proargnames[1] !~ 'customer')`,
    breaks: [
      `create function app.f(customers uuid[]) returns void language plpgsql as $$ begin delete from invoice; end $$`,
      'app.f(uuid[])',
    ],
  },
  {
    rule: 'what a function changes it names by its customer',
    broken: `select distinct name from ${FUNCTION_STATEMENTS} where ${CHANGES} and statement !~ 'customer_id = '
      and statement !~ '\\mon conflict\\M' and proname not in ${among([...BATCHED, ...NOBODYS])}`,
    breaks: [functionWith(`update invoice set status = 'paid';`), 'app.f(uuid)'],
  },
  {
    rule: 'no change calls a volatile function, or one of ours, for its rows: not even a stable one may see their columns',
    broken: `select distinct name from ${FUNCTION_STATEMENTS} where ${CHANGES}
      and (${SET_OR_WHERE} ~ ('\\m(' || ${VOLATILE} || ')\\(') or ${SET_OR_WHERE} ~ '\\mapp\\.\\w+\\(')
      and proname not in ${among([...BATCHED, ...NOBODYS])}`,
    breaks: [
      functionWith('update invoice set paid_at = clock_timestamp() where customer_id = p_customer;'),
      'app.f(uuid)',
    ],
  },
  {
    rule: 'no change computes with an interval: that is not immutable, and refused beside a column or within case',
    broken: `select distinct name from ${FUNCTION_STATEMENTS} where ${CHANGES} and ${SET_OR_WHERE} ~ '\\minterval\\M'
      and proname not in ${among([...BATCHED, ...NOBODYS])}`,
    breaks: [
      functionWith(`update invoice set paid_at = created_at + interval '1 day' where customer_id = p_customer;`),
      'app.f(uuid)',
    ],
  },
  {
    rule: 'no change takes a value out of an array: that ends the coordinator',
    broken: `select distinct name from ${FUNCTION_STATEMENTS} where ${CHANGES} and ${SET_OR_WHERE} ~ '=\\s*\\w+\\['
      and proname not in ${among(BATCHED)}`,
    breaks: [functionWith('update invoice set id = ids[1] where customer_id = p_customer;'), 'app.f(uuid)'],
  },
  {
    rule: 'nothing is written or locked for a list of rows: under row level security a cluster refuses it',
    broken: `select distinct name from ${FUNCTION_STATEMENTS}
      where statement ~ '\\munnest\\(' and (${CHANGES} or statement ~ '\\m(insert\\s+into|for\\s+(no\\s+key\\s+)?update)')
        and proname not in ${among(BATCHED)}`,
    breaks: [
      functionWith('insert into ai_settings (customer_id) select * from unnest(array[p_customer]);'),
      'app.f(uuid)',
    ],
  },
  {
    rule: 'no function that writes is called for the rows of a table: the node that has them refuses to write for it',
    broken: `select distinct name from ${FUNCTION_STATEMENTS}
      where ${INNERMOST} ~ ('\\mapp\\.(' || ${WRITERS} || ')\\(.*\\mfrom\\s+(public\\.)?(' || ${TABLES} || ')\\M')
        and proname not in ${among(BATCHED)}`,
    breaks: [
      functionWith(
        `perform app.record_event(p_customer, 'x', '{}', null) from invoice where customer_id = p_customer;`,
      ),
      'app.f(uuid)',
    ],
  },
]);

describe('statements of the programs', () => {
  const WITHOUT_COLUMNS = /\bfrom\s*\(\s*select\s+from\b/i;
  it('have no sub-select without columns, which a cluster refuses', () => {
    const sources = globSync('{apps,libs}/**/*.{ts,sql}', {
      exclude: (path) => /node_modules|operator-console/.test(path),
    });
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((path) => WITHOUT_COLUMNS.test(readFileSync(path, 'utf8')))).toEqual([]);
  });
});
