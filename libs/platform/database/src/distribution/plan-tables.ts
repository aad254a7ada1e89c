import type { QueryRunner } from 'typeorm';

/** Tables that are not distributed yet. */
export interface TablePlan {
  /** Copied to every node: of no customer, or looked up before the customer is known. Seldom written. */
  reference: string[];
  /** Owned by customers: a customer's rows of all these tables are on one node. */
  distributed: string[];
}

/**
 * How tables are spread over a cluster. The schema says it: a table whose primary key begins with the customer is
 * distributed by the customer, any other is copied to every node. Partitions go with their table.
 * @param tables in the order of their foreign keys: each refers only to those before it
 */
export async function planTables(runner: QueryRunner, tables: readonly string[]): Promise<TablePlan> {
  const owned = new Map(
    (
      (await runner.query(
        `select c.relname as name, a.attname = 'customer_id' as owned from pg_class c
         join pg_index i on i.indrelid = c.oid and i.indisprimary
         join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
         where c.relnamespace = 'public'::regnamespace and c.oid not in (select logicalrelid from pg_dist_partition)`,
      )) as { name: string; owned: boolean }[]
    ).map(({ name, owned }) => [name, owned]),
  );
  return {
    reference: tables.filter((table) => owned.get(table) === false),
    distributed: tables.filter((table) => owned.get(table) === true),
  };
}
