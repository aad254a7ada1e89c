import type { Client } from 'pg';

/** Bytes of a table's partitions. */
export interface TableBytes {
  table: string;
  rows: number;
  heap: number;
  indexes: number;
}

export async function bytesOf(client: Client, tables: readonly string[]): Promise<TableBytes[]> {
  const { rows } = await client.query<TableBytes>(
    `select t.name as "table", sum(greatest(c.reltuples, 0))::float as rows,
       sum(pg_table_size(c.oid))::float as heap, sum(pg_indexes_size(c.oid))::float as indexes
     from unnest($1::text[]) as t (name)
     join pg_class c on c.relkind = 'r'
       and (c.oid = t.name::regclass or c.oid in (select inhrelid from pg_inherits where inhparent = t.name::regclass))
     group by 1 order by 1`,
    [tables],
  );
  return rows;
}
