import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingCalendar } from '@platform/time';

/** Customers looked up at a time. */
const PORTION = 1_000;
const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

/** Customers whose accounts must be rolled over, after one that was looked at. */
const TO_ROLL_OVER = `
  select customer_id as id from ai_account
  where month < app.billing_month(app.now(), $3) and customer_id > $1 order by customer_id limit $2`;

const ROLL_OVER = `
  with unlocked as materialized (
    select customer_id from ai_account where customer_id = $1 for no key update skip locked)
  select app.ai_roll_over(customer_id, app.billing_month(app.now(), $2), app.now())::int as done from unlocked`;

const WITH_ABANDONED = `
  select distinct customer_id as id from ai_hold
  where state = 'pending' and (deadline < app.now() or app.process_is_gone(process_id)) and customer_id > $1
  order by customer_id limit $2`;

const RESOLVE_ABANDONED = 'select app.ai_resolve_abandoned($1) as done';

/** Processes that have been gone for long, and have nothing reserved any more. */
const FORGET_GONE = `
  delete from process_liveness p
  where p.seen_at < now() - interval '1 day' and app.process_is_gone(p.id)
    and not exists (select from ai_hold h where h.state = 'pending' and h.process_id = p.id)`;

/** What ended so many days ago; a statement at a time deletes no more than a few thousand rows. */
const WITH_ENDED = `
  select distinct customer_id as id from ai_hold
  where state <> 'pending' and resolved_at < app.now() - make_interval(days => $3) and customer_id > $1
  order by customer_id limit $2`;

const PURGE_ENDED = `
  with ended as (
    select id from ai_hold
    where customer_id = $1 and state <> 'pending' and resolved_at < app.now() - make_interval(days => $2) limit 5000),
  purged as (delete from ai_hold where customer_id = $1 and id in (select id from ended) returning 1)
  select count(*)::int as done from purged`;

/**
 * What must happen without a call: the turn of the month, and reservations that nobody will come back for. Both in two
 * steps, find the customers, then work customer by customer; both safe to repeat and to run in several workers at once.
 * An account that somebody else has locked is left for the next time.
 */
@Injectable()
export class AiMaintenanceService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly calendar: BillingCalendar,
  ) {}

  /** Rolls accounts into the present month. @returns how many were rolled here; calls and other workers roll them too */
  rollMonthsOver(signal?: AbortSignal): Promise<number> {
    const { timeZone } = this.calendar;
    return this.forEach({ find: TO_ROLL_OVER, work: ROLL_OVER, given: [timeZone] }, signal);
  }

  /** Resolves reservations whose deadline has passed or whose process is gone, uncharged. @returns how many */
  resolveAbandoned(signal?: AbortSignal): Promise<number> {
    return this.forEach({ find: WITH_ABANDONED, work: RESOLVE_ABANDONED, given: [] }, signal);
  }

  /**
   * Deletes reservations that ended more than so many days ago, those of unknown outcome included. What was charged has
   * its usage row. @returns how many; what is left is for the next time
   */
  purgeEnded(days: number, signal?: AbortSignal): Promise<number> {
    return this.forEach({ find: WITH_ENDED, work: PURGE_ENDED, given: [days] }, signal);
  }

  /** Forgets processes that ended long ago. */
  async forgetGoneProcesses(): Promise<void> {
    await this.dataSource.query(FORGET_GONE);
  }

  private async forEach(
    { find, work, given }: { find: string; work: string; given: unknown[] },
    signal?: AbortSignal,
  ): Promise<number> {
    let total = 0;
    let last = NO_CUSTOMER;
    for (;;) {
      const customers = await this.dataSource.query<{ id: string }[]>(find, [last, PORTION, ...given]);
      for (const { id } of customers) {
        if (signal?.aborted) return total;
        const [row] = await this.dataSource.query<{ done: number | null }[]>(work, [id, ...given]);
        total += row?.done ?? 0;
        last = id;
      }
      if (customers.length < PORTION) return total;
    }
  }
}
