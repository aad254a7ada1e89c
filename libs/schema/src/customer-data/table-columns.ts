import type { DataSource } from 'typeorm';

/** The columns of a table, and those of its primary key, in their order. */
export interface TableColumns {
  columns: string[];
  key: string[];
}

const COLUMNS = `
  select a.attname as name, array_position(k.conkey, a.attnum) as place
  from pg_attribute a
  join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'p'
  where a.attrelid = ('public.' || quote_ident($1))::regclass and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

export async function readColumns(dataSource: DataSource, table: string): Promise<TableColumns> {
  const rows = await dataSource.query<{ name: string; place: number | null }[]>(COLUMNS, [table]);
  const key = rows
    .filter(({ place }) => place !== null)
    .sort((a, b) => Number(a.place) - Number(b.place))
    .map(({ name }) => name);
  return { columns: rows.map(({ name }) => name), key };
}
