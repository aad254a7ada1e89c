import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { purgeEachCustomer } from '@platform/database';

/** By id, which carries the time: from the last row that is certain to be blank ($3) to the newest one to blank. */
const BLANK = `
  with expired as (
    select id from sms_message
    where customer_id = $1 and id >= $3 and id < app.first_id(app.now() - make_interval(days => $2)) and message <> ''
    order by id limit 500),
  blanked as (
    update sms_message set message = '' where customer_id = $1 and id in (select id from expired) returning 1)
  select count(*)::int as done from blanked`;

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

  constructor(private readonly dataSource: DataSource) {}

  /** Blanks the texts of messages of the given number of days ago. @returns how many */
  async blankTexts(days: number, signal?: AbortSignal): Promise<number> {
    const [{ next } = { next: FIRST }] = await this.dataSource.query<{ next: string }[]>(
      `select app.first_id(app.now() - make_interval(days => $1) - interval '${OVERLAP}') as next`,
      [days],
    );
    const blanked = await purgeEachCustomer(this.dataSource, BLANK, [days, this.blankBefore], signal);
    if (!signal?.aborted) this.blankBefore = next;
    return blanked;
  }

  /** Deletes the counts of days long past. @returns how many */
  purgeCounts(signal?: AbortSignal): Promise<number> {
    return purgeEachCustomer(this.dataSource, PURGE_COUNTS, [], signal);
  }
}
