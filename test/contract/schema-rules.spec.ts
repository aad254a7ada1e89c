import { migrations } from '@schema';
import { describeCatalogueRules } from '@test/suites/catalogue-rules.suite';

const FUNCTIONS = `select p.oid::regprocedure::text as name, p.*, l.lanname as language
  from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'app'::regnamespace`;
const WRITES = String.raw`'\m(insert\s+into|delete\s+from|update\s+[a-z_.]+\s|for\s+(no\s+key\s+)?update)'`;
const PINNED = `'search_path=pg_catalog, public, pg_temp' = any (proconfig)`;

describeCatalogueRules('the rules of the schema', [
  {
    rule: 'every table with a customer in its rows forces row level security',
    broken: `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'customer_id'
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
        and not (c.relrowsecurity and c.relforcerowsecurity)`,
    breaks: ['create table t (customer_id uuid not null, id uuid not null)', 't'],
  },
  {
    rule: 'no policy calls a volatile function, or one of ours, which would run for every row',
    broken: `select o.polrelid::regclass || ': ' || o.polname as name from pg_policy o join pg_depend d on d.objid = o.oid
      join pg_proc f on d.refclassid = 'pg_proc'::regclass and f.oid = d.refobjid
      union select polrelid::regclass || ': ' || polname from pg_policy
      cross join lateral regexp_matches(concat(polqual::text, polwithcheck::text), ':funcid (\\d+)', 'g') as called
      join pg_proc f on f.oid = called[1]::oid where f.provolatile = 'v'`,
    breaks: ['create policy p on invoice using (clock_timestamp() is null)', 'invoice: p'],
  },
  {
    rule: 'functions that write are plpgsql and pin what their names mean',
    // A body that was parsed when the function was made (prosqlbody) has no names left.
    broken: `select name from (${FUNCTIONS}) f
      where (prosrc ~* ${WRITES} or provolatile = 'v') and prosqlbody is null and name <> 'app.set_customer(uuid)'
        and (language <> 'plpgsql' or (${PINNED}) is not true)`,
    breaks: [
      `create function app.f() returns void language plpgsql as $$ begin delete from invoice; end $$`,
      'app.f()',
    ],
  },
  {
    rule: 'functions that are not pinned (SQL, put in place of their call) name every table with its schema',
    broken: `select name from (${FUNCTIONS}) f where (${PINNED}) is not true and prosqlbody is null and name <> 'app.set_customer(uuid)'
      and (language <> 'sql' or prosrc ~* '\\m(from|join)\\s+(?!public\\.|unnest)[a-z_]')`,
    breaks: [
      'create function app.f() returns bigint language sql stable as $$ select count(*) from invoice $$',
      'app.f()',
    ],
  },
  {
    rule: 'nothing runs with the rights of the tables’ owner but what makes and drops partitions, for the operator’s programs',
    broken: `select name from (${FUNCTIONS}) f where prosecdef and pg_get_userbyid(proowner) <> 'account_operator'
      and (name <> all ('{"app.create_partition(text,date)","app.drop_partition(text,date)"}')
        or has_function_privilege('customer_api', oid, 'execute'))`,
    breaks: ['grant execute on function app.drop_partition to customer_api', 'app.drop_partition(text,date)'],
  },
  {
    rule: 'only what the API calls runs with the rights of the operator',
    broken: `select name from (${FUNCTIONS}) f where prosecdef and name !~ '^app.(create|drop)_partition'
      and not has_function_privilege('customer_api', oid, 'execute')`,
    breaks: [
      `create function app.f() returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp
         as $$ begin end $$; alter function app.f owner to account_operator; revoke all on function app.f from public`,
      'app.f()',
    ],
  },
  {
    rule: 'the API’s role writes no balance and no ledger: only the ledger’s functions do',
    // The privileges of columns have those of whole tables, but for deletions.
    broken: `select distinct table_name as name from (
        select grantee, table_name, privilege_type from information_schema.column_privileges
        union select grantee, table_name, privilege_type from information_schema.role_table_grants) g
      where grantee = 'customer_api' and privilege_type <> 'SELECT' and
        table_name ~ '^ai_(account|reservation|usage|usage_day|ledger_entry|ledger_carried|settings|model_price)$'`,
    breaks: ['grant update (purchased) on ai_account to customer_api', 'ai_account'],
  },
  {
    rule: 'no index has a column that every AI message changes in place: each would be written anew with each message',
    broken: `select distinct i.indexrelid::regclass::text as name from pg_index i
      cross join lateral unnest(i.indkey::smallint[]) as of_index (attnum)
      where i.indrelid in ('ai_account'::regclass, 'ai_usage_day'::regclass) and of_index.attnum <> all (
        select unnest(p.indkey::smallint[]) from pg_index p where p.indrelid = i.indrelid and p.indisprimary)`,
    breaks: ['create index i on ai_usage_day (day) include (cost)', 'i'],
  },
  {
    rule: 'every partition forces the row level security of its table, with the same policies',
    broken: `select p.relname as name from pg_inherits i join pg_class p on p.oid = i.inhrelid
      join pg_class t on t.oid = i.inhparent and t.relkind = 'p' and t.relnamespace = 'public'::regnamespace
      where not (p.relrowsecurity and p.relforcerowsecurity) or
        (select count(*) from pg_policy where polrelid = p.oid) <> (select count(*) from pg_policy where polrelid = i.inhparent)
        or exists (select from pg_policy t where t.polrelid = i.inhparent and not exists (select from pg_policy o
          where o.polrelid = p.oid and o.polname = t.polname and o.polroles = t.polroles and o.polpermissive and o.polcmd = t.polcmd
            and pg_get_expr(o.polqual, o.polrelid) = pg_get_expr(t.polqual, t.polrelid)
            and pg_get_expr(o.polwithcheck, o.polrelid) = pg_get_expr(t.polwithcheck, t.polrelid)))`,
    breaks: ['alter policy own_customer on partitions.sms_message_default using (true)', 'sms_message_default'],
  },
  {
    rule: 'no partition has a grant: all goes through its table',
    broken: `select c.relname as name from pg_class c cross join lateral aclexplode(c.relacl) a
      where c.relnamespace = 'partitions'::regnamespace and a.grantee <> c.relowner
      union select nspname from pg_namespace n cross join lateral aclexplode(n.nspacl) a
      where n.nspname = 'partitions' and a.grantee <> n.nspowner`,
    breaks: ['grant select on partitions.ai_usage_default to account_operator', 'ai_usage_default'],
  },
  {
    rule: 'no foreign key comes from or points at a partitioned table: a partition could not be dropped without a lock on the other',
    broken: `select k.conname as name from pg_constraint k join pg_partitioned_table p on p.partrelid in (k.conrelid, k.confrelid)
      where k.contype = 'f'`,
    breaks: ['alter table ai_usage add constraint f foreign key (customer_id) references customer (id)', 'f'],
  },
  {
    rule: 'tables are partitioned by the range of their ids, and what grows without end is',
    broken: `select coalesce(c.relname, expected) as name
      from unnest(array['ai_ledger_entry', 'ai_usage', 'audit_log', 'event', 'sms_message', 'webhook_delivery']) as expected
      full join (pg_partitioned_table p join pg_class c on c.oid = p.partrelid and p.partstrat = 'r' and p.partnatts = 1
        join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0] and a.attname = 'id' and p.partdefid <> 0)
        on c.relname = expected
      where c.relname is null or expected is null`,
    breaks: ['drop table sms_message cascade', 'sms_message'],
  },
  {
    rule: 'every table is one that a migration says it makes',
    broken: `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migration'
      and tablename <> all (array[${migrations.flatMap((migration) => new migration().tables.map((table) => `'${table}'`)).join(', ')}])`,
    breaks: ['create table t (id uuid primary key)', 't'],
  },
]);
