import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingCalendar } from '@platform/time';

/** Number of customers per query. */
const BATCH_SIZE = 1_000;
const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

/** Customers whose accounts must be rolled over, after the given customer. */
const TO_ROLL_OVER = `
  select customer_id as id from ai_account
  where month < app.billing_month(app.now(), $3) and customer_id > $1 order by customer_id limit $2`;

const ROLL_OVER = `
  with unlocked as materialized (
    select customer_id from ai_account where customer_id = $1 for no key update skip locked)
  select app.ai_roll_over(customer_id, app.billing_month(app.now(), $2), app.now())::int as done from unlocked`;

const WITH_ABANDONED = `
  select distinct customer_id as id from ai_reservation
  where state = 'pending' and (deadline < app.now() or app.process_is_gone(process_id)) and customer_id > $1
  order by customer_id limit $2`;

const RESOLVE_ABANDONED = 'select app.ai_resolve_abandoned($1) as done';

/** Processes that died long ago and have no pending reservations. */
const FORGET_GONE = `
  delete from process_liveness p
  where p.seen_at < now() - interval '1 day' and app.process_is_gone(p.id)
    and not exists (select from ai_reservation h where h.state = 'pending' and h.process_id = p.id)`;

/** Reservations that ended some days ago; one statement deletes a few thousand rows at most. */
const WITH_ENDED = `
  select distinct customer_id as id from ai_reservation
  where state <> 'pending' and resolved_at < app.now() - make_interval(days => $3) and customer_id > $1
  order by customer_id limit $2`;

const PURGE_ENDED = `
  with ended as (
    select id from ai_reservation
    where customer_id = $1 and state <> 'pending' and resolved_at < app.now() - make_interval(days => $2) limit 5000),
  purged as (delete from ai_reservation where customer_id = $1 and id in (select id from ended) returning 1)
  select count(*)::int as done from purged`;

/**
 * Maintenance that must not depend on calls: the roll-over to a new month, and reservations that nobody will end. Both
 * find the customers first, then work customer by customer; both are idempotent and safe in several workers at once. A
 * locked account is skipped until the next run.
 */
@Injectable()
export class AiMaintenanceService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly calendar: BillingCalendar,
  ) {}

  /**
   * Rolls accounts over to the current month. @returns how many were rolled over here; calls and other workers do it
   * too
   */
  rollMonthsOver(signal?: AbortSignal): Promise<number> {
    const { timeZone } = this.calendar;
    return this.forEach({ find: TO_ROLL_OVER, work: ROLL_OVER, given: [timeZone] }, signal);
  }

  /** Resolves reservations whose deadline has passed or whose process is dead, uncharged. @returns how many */
  resolveAbandoned(signal?: AbortSignal): Promise<number> {
    return this.forEach({ find: WITH_ABANDONED, work: RESOLVE_ABANDONED, given: [] }, signal);
  }

  /**
   * Deletes reservations that ended more than the given number of days ago, including those with an unknown outcome.
   * Charged calls have a usage row instead. @returns how many; the rest is left for the next run
   */
  purgeEnded(days: number, signal?: AbortSignal): Promise<number> {
    return this.forEach({ find: WITH_ENDED, work: PURGE_ENDED, given: [days] }, signal);
  }

  /** Deletes processes that died long ago. */
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
      const customers = await this.dataSource.query<{ id: string }[]>(find, [last, BATCH_SIZE, ...given]);
      for (const { id } of customers) {
        if (signal?.aborted) return total;
        const [row] = await this.dataSource.query<{ done: number | null }[]>(work, [id, ...given]);
        total += row?.done ?? 0;
        last = id;
      }
      if (customers.length < BATCH_SIZE) return total;
    }
  }
}
