import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isLockTimeout } from '../database-errors';

/** The months that a table ($1) has partitions of. */
const MONTHS = `
  select to_date(right(p.relname, 7), 'YYYY_MM') as month from pg_inherits i
  join pg_class p on p.oid = i.inhrelid and p.relname ~ '_\\d{4}_\\d{2}$'
  where i.inhparent = (select oid from pg_class where relnamespace = 'public'::regnamespace and relname = $1)`;

/** The months of a table ($1) that ended before the last $2 months and the present one. */
const EXPIRED = `
  select month::text from (${MONTHS}) m
  where month < date_trunc('month', app.now() at time zone 'UTC') - make_interval(months => $2) order by 1`;

/** Rows without a month are counted up to this number. */
const MOST_COUNTED = 10_000;

/** The statement that counts the rows of a table ($1) before and after all of its months. */
const ROWS_OUTSIDE = `
  select format(
    'select count(*)::int as rows from (select 1 from public.%I where id < %L or id >= %L limit ${MOST_COUNTED}) stray', $1::text,
    app.first_id(min(month)::timestamp at time zone 'UTC'),
    app.first_id((max(month) + interval '1 month') at time zone 'UTC')) as statement
  from (${MONTHS}) m having count(*) > 0`;

/** Most rows that are moved without being asked for: who reads the table waits meanwhile, for some seconds with this number. */
const MOST_MOVED = 100_000;

/** The months between those of a table ($1) that it has no partition of, and for each the statement that counts its rows. */
const MISSED = `
  with made as (${MONTHS})
  select missed::date::text as month, format(
    'select count(*)::int as rows from (select 1 from public.%I where id >= %L and id < %L limit ${MOST_MOVED + 1}) missed', $1::text,
    app.first_id(missed at time zone 'UTC'), app.first_id((missed + interval '1 month') at time zone 'UTC')) as statement
  from (select min(month)::timestamp as first, max(month)::timestamp as last from made) bounds,
    generate_series(first, last, interval '1 month') missed
  where missed::date not in (select month from made) order by missed`;

/** The least id of the oldest month of a table ($1). */
const OLDEST_ID = `select app.first_id(min(month)::timestamp at time zone 'UTC') as id from (${MONTHS}) m`;

/** Attempts of one call; each makes others wait 100 ms at most. */
const ATTEMPTS = 5;
/** Pause after the first failed attempt; each further pause is twice as long. */
const PAUSE_MS = 200;

/** The monthly partitions of the tables that grow without end. Works in the operator's role. */
@Injectable()
export class PartitionsService {
  constructor(private readonly dataSource: DataSource) {}

  /** The tables that are partitioned by month. */
  async tables(): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      `select c.relname as name from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
       where c.relnamespace = 'public'::regnamespace order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  /** Makes the partitions of the present month and of `ahead` more, where they are missing. @returns how many */
  async createAhead(table: string, ahead: number, signal?: AbortSignal): Promise<number> {
    const months = await this.dataSource.query<{ month: string }[]>(
      `select ((app.now() at time zone 'UTC') + make_interval(months => i))::date::text as month
       from generate_series(0, $1::integer) i`,
      [ahead],
    );
    let made = 0;
    for (const { month } of months) if (await this.change('create_partition', table, month, signal)) made++;
    return made;
  }

  /**
   * Makes the partitions of months between the others that have rows, which the default partition took in: no worker ran before they
   * began. A month with very many rows is left to the operator. @returns how many
   */
  async createMissed(table: string, signal?: AbortSignal): Promise<number> {
    let made = 0;
    for (const { month, rows } of await this.missed(table))
      if (rows > 0 && rows <= MOST_MOVED && (await this.change('create_partition', table, month, signal))) made++;
    return made;
  }

  /** The first days of the months that ended at least `kept` months before the present one, oldest first. */
  async expired(table: string, kept: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ month: string }[]>(EXPIRED, [table, kept]);
    return rows.map(({ month }) => month);
  }

  /** The least id that the oldest month of a table can have: rows before it may have been dropped. */
  async oldestId(table: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ id: string | null }[]>(OLDEST_ID, [table]);
    return row?.id ?? null;
  }

  /** Drops a month of rows. @returns whether it was there */
  drop(table: string, month: string, signal?: AbortSignal): Promise<boolean> {
    return this.change('drop_partition', table, month, signal);
  }

  /** Rows without a monthly partition, which are in the default one; counts up to 10,000. There should be none. */
  async strayRows(table: string): Promise<number> {
    const [outside] = await this.dataSource.query<{ statement: string }[]>(ROWS_OUTSIDE, [table]);
    if (!outside) throw new Error(`The table ${table} has no partitions`);
    let stray = await this.count(outside.statement);
    for (const { rows } of await this.missed(table)) stray += rows;
    return Math.min(stray, MOST_COUNTED);
  }

  /** Tries again while others use the table: waiting for longer would make those wait that come after. */
  private async change(name: string, table: string, month: string, signal?: AbortSignal): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction(async (transaction) => {
          // The function's own setting is not passed on to a cluster's nodes; this one is.
          await transaction.query(`set local lock_timeout = '100ms'`);
          const [row] = await transaction.query<{ done: boolean }[]>(`select app.${name}($1, $2) as done`, [
            table,
            month,
          ]);
          return row?.done ?? false;
        });
      } catch (error) {
        if (!isLockTimeout(error) || attempt === ATTEMPTS || signal?.aborted) throw error;
        await delay(PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  /** The months without a partition between those of a table, with their rows. */
  private async missed(table: string): Promise<{ month: string; rows: number }[]> {
    const months = await this.dataSource.query<{ month: string; statement: string }[]>(MISSED, [table]);
    const counted = [];
    for (const { month, statement } of months) counted.push({ month, rows: await this.count(statement) });
    return counted;
  }

  /** @param statement with its bounds written into it, so that it is planned for the default partition alone */
  private async count(statement: string): Promise<number> {
    const [row] = await this.dataSource.query<{ rows: number }[]>(statement);
    return row?.rows ?? 0;
  }
}
