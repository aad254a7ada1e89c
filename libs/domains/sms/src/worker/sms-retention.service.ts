import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerIds, eachIndependently, purgeEachCustomer } from '@platform/database';

/** Rows that a statement looks at: however many are blank already, it ends in time. */
const PORTION = 500;

/** By id, which carries the time: the next rows behind $3 that are old enough. */
const BLANK = `
  with portion as materialized (
    select id, message from sms_message
    where customer_id = $1 and id > $3 and id < app.first_id(app.now() - make_interval(days => $2))
    order by id limit ${PORTION}),
  blanked as (
    update sms_message set message = ''
    where customer_id = $1 and id in (select id from portion where message <> '') returning 1)
  select (select count(*) from blanked)::int as done, (select count(*) from portion)::int as looked,
    (select id from portion order by id desc limit 1) as last`;

/** What was done with the rows that a statement looked at. */
interface Portion {
  done: number;
  looked: number;
  /** The id of the last one. */
  last: string | null;
}

/** Counts are only needed on their own day; a month of them helps to investigate. */
const PURGE_COUNTS = `
  with expired as (
    select day from sms_daily_count where customer_id = $1 and day < (app.now() - interval '31 days')::date limit 500),
  purged as (delete from sms_daily_count where customer_id = $1 and day in (select day from expired) returning 1)
  select count(*)::int as done from purged`;

const FIRST = '00000000-0000-0000-0000-000000000000';
/** A row's id may be older than its transaction: as long as any may take, and more. */
const OVERLAP = '1 day';

/** Blanks old texts, and deletes old counts. */
@Injectable()
export class SmsRetentionService {
  /** Everything before it was looked at by this process: a run does not read years again. */
  private blankBefore = FIRST;
  /** What it has looked at beyond that, by customer: a run that was ended early, or failed for some, is continued. */
  private readonly reached = new Map<string, string>();

  constructor(private readonly dataSource: DataSource) {}

  /** Blanks the texts of messages of the given number of days ago. @returns how many */
  async blankTexts(days: number, signal?: AbortSignal): Promise<number> {
    const [{ next } = { next: FIRST }] = await this.dataSource.query<{ next: string }[]>(
      `select app.first_id(app.now() - make_interval(days => $1) - interval '${OVERLAP}') as next`,
      [days],
    );
    let blanked = 0;
    const blank = async (customerId: string) => {
      let after: string | null = this.reached.get(customerId) ?? this.blankBefore;
      while (after !== null && !signal?.aborted) {
        const rows: Portion[] = await this.dataSource.query<Portion[]>(BLANK, [customerId, days, after]);
        const [{ done, looked, last }] = rows as [Portion];
        blanked += done;
        after = looked === PORTION ? last : null;
        if (after !== null && after < next) this.reached.set(customerId, after);
      }
    };
    await eachIndependently(customerIds(this.dataSource), blank, signal);
    if (signal?.aborted) return blanked;
    this.blankBefore = next;
    this.reached.clear();
    return blanked;
  }

  /** Deletes the counts of days long past. @returns how many */
  purgeCounts(signal?: AbortSignal): Promise<number> {
    return purgeEachCustomer(this.dataSource, PURGE_COUNTS, [], signal);
  }
}
