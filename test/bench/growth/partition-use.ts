import type { Client } from 'pg';
import { TABLES } from './sizes';

/** Statistics reach the catalogue some seconds after a connection is idle. */
export const STATISTICS_DELAY_MS = 11_000;

/** What was read of a month's partition. */
export interface PartitionUse {
  partition: string;
  /** Months before the present one; null for the default partition. */
  age: number | null;
  /** Rows that scans of the whole partition read. */
  scanned: number;
  /** How often an index of it was looked into. */
  looked: number;
}

/** What all statements together, those in functions too, have read of the partitions so far. */
export async function partitionUse(client: Client): Promise<PartitionUse[]> {
  const { rows } = await client.query<PartitionUse>(
    `select s.relname as partition, s.seq_tup_read::float as scanned, coalesce(s.idx_scan, 0)::float as looked,
       case when s.relname ~ '\\d{4}_\\d{2}$' then
         (extract(year from age(date_trunc('month', now() at time zone 'UTC'), to_date(right(s.relname, 7), 'YYYY_MM'))) * 12
         + extract(month from age(date_trunc('month', now() at time zone 'UTC'), to_date(right(s.relname, 7), 'YYYY_MM'))))::int end as age
     from pg_stat_user_tables s join pg_inherits i on i.inhrelid = s.relid
     where i.inhparent::regclass::text = any ($1) order by 1`,
    [TABLES],
  );
  return rows;
}

/**
 * What should not have been read between two looks: rows by scanning, and old months by calls that ask for the newest rows.
 * The default partition is empty. The ledger is read in the order of its sequence, which no partition is left out for: each
 * month costs one look into its index.
 */
export function undueReads(before: PartitionUse[], after: PartitionUse[]): string[] {
  return after.flatMap(({ partition, age, scanned, looked }) => {
    const former = before.find((use) => use.partition === partition);
    const [rows, times] = [scanned - (former?.scanned ?? 0), looked - (former?.looked ?? 0)];
    return [
      ...(rows > 0 ? [`${partition}: ${rows} rows were scanned`] : []),
      ...(times > 0 && age !== null && age > 2 && !partition.startsWith('ai_ledger_entry')
        ? [`${partition}: looked into ${times} times`]
        : []),
    ];
  });
}
