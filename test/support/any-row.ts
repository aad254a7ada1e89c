import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';

/** A value for each type of column. It need not make sense: only row level security checks it. */
const VALUES: Record<string, (customerId: string) => unknown> = {
  uuid: () => randomUUID(),
  text: () => randomUUID(),
  'character varying': () => randomUUID(),
  integer: () => 1,
  smallint: () => 1,
  bigint: () => 1,
  numeric: () => 1,
  boolean: () => false,
  date: () => '2026-01-31',
  'timestamp with time zone': () => new Date(),
  bytea: () => Buffer.from(randomUUID()),
  json: () => '{}',
  jsonb: () => '{}',
  ARRAY: () => '{}',
};

/** Tables whose rows belong to a customer. */
export async function customerOwnedTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and (column_name = 'customer_id' or (table_name = 'customer' and column_name = 'id'))
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The column with the customer's id. */
export function customerColumn(table: string): string {
  return table === 'customer' ? 'id' : 'customer_id';
}

/** Removes checks, foreign keys and missing grants, so that only row level security can refuse a row. */
export async function leaveRowLevelSecurityAlone(client: Client, tables: string[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
     from pg_constraint where contype in ('c', 'f') and connamespace = 'public'::regnamespace
       -- A cluster's coordinator has shards too, and hides them among the tables.
       and conrelid in (select oid from pg_class)`,
  );
  for (const { statement } of rows) await client.query(statement);
  await client.query(`grant select, insert, update, delete on ${tables.join(', ')} to customer_api`);
}

/** The statement that inserts a row of the customer into any table. */
export async function anyRow(
  client: Client,
  table: string,
  customerId: string,
): Promise<[sql: string, values: unknown[]]> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_identity = 'NO' and is_generated = 'NEVER'`,
    [table],
  );
  const values = rows.map(({ name, type }) => {
    if (name === customerColumn(table)) return customerId;
    const make = VALUES[type];
    if (!make) throw new Error(`No value for ${table}.${name} of type ${type}`);
    return make(customerId);
  });
  const names = rows.map(({ name }) => `"${name}"`).join(', ');
  return [`insert into ${table} (${names}) values (${rows.map((_, index) => `$${index + 1}`).join(', ')})`, values];
}
