import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerIds, customersByNode, eachIndependently, isDatabaseUnavailable } from '@platform/database';
import { BillingCalendar } from '@platform/time';

/** Customers whose accounts must be rolled over, after the given customer. */
const TO_ROLL_OVER = `
  select customer_id as id from ai_account
  where month < app.billing_month(app.now(), $3) and customer_id > $1 order by customer_id limit $2`;

const ROLL_OVER = `
  select app.ai_roll_over(customer, app.billing_month(app.now(), $2), app.now())::int as done
  from app.ai_unlocked_accounts(array[$1::uuid]) as unlocked (customer)`;

/** Asked by itself: a cluster looks for reservations on all its nodes, and its coordinator knows the processes. */
const LIVE_PROCESSES = 'select id from process_liveness where not app.process_is_gone(id)';

/** With reservations whose process, if it is known, is none of the live ones. */
const WITH_ABANDONED = `
  select distinct customer_id as id from ai_reservation
  where state = 'pending' and (deadline < app.now() or (process_id is not null and process_id <> all ($3::uuid[]))) and customer_id > $1
  order by customer_id limit $2`;

const RESOLVE_ABANDONED = 'select app.ai_resolve_abandoned($1) as done';

/** Processes that died long ago. */
const LONG_GONE = `
  select id from process_liveness where seen_at < now() - interval '1 day' and app.process_is_gone(id)`;

const STILL_PENDING = `
  select distinct process_id as id from ai_reservation where state = 'pending' and process_id = any ($1::uuid[])`;

/** Unless they have come back meanwhile. */
const FORGET = `delete from process_liveness where id = any ($1::uuid[]) and seen_at < now() - interval '1 day'`;

/** On a cluster's workers. There, too, a process that is forgotten is gone. */
const FORGET_ON_NODES = `
  select app.run_on_nodes(
    'delete from process_liveness where seen_at < now() - interval ''1 day'' and app.process_is_gone(id)')`;

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

/** A statement, and its values after those that it always has. */
interface Statement {
  sql: string;
  values: unknown[];
}

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
    return this.forEach({ sql: TO_ROLL_OVER, values: [timeZone] }, { sql: ROLL_OVER, values: [timeZone] }, signal);
  }

  /** Resolves reservations whose deadline has passed or whose process is dead, uncharged. @returns how many */
  async resolveAbandoned(signal?: AbortSignal): Promise<number> {
    const live = await this.ids(LIVE_PROCESSES);
    return this.forEach({ sql: WITH_ABANDONED, values: [live] }, { sql: RESOLVE_ABANDONED, values: [] }, signal);
  }

  /**
   * Deletes reservations that ended more than the given number of days ago, including those with an unknown outcome.
   * Charged calls have a usage row instead. @returns how many; the rest is left for the next run
   */
  purgeEnded(days: number, signal?: AbortSignal): Promise<number> {
    return this.forEach({ sql: WITH_ENDED, values: [days] }, { sql: PURGE_ENDED, values: [days] }, signal);
  }

  /** Deletes processes that died long ago and have no pending reservations. */
  async forgetGoneProcesses(): Promise<void> {
    await this.dataSource.query(FORGET_ON_NODES);
    const gone = await this.ids(LONG_GONE);
    if (gone.length === 0) return;
    const pending = new Set(await this.ids(STILL_PENDING, [gone]));
    await this.dataSource.query(FORGET, [gone.filter((id) => !pending.has(id))]);
  }

  /**
   * Finds customers ($1 after which, $2 how many) and does the work for one after the other ($1 the customer).
   * @throws if it failed for some customers, or a node of a cluster is down; the work is done for all others then
   */
  private async forEach(find: Statement, work: Statement, signal?: AbortSignal): Promise<number> {
    let total = 0;
    const workFor = async (id: string) => {
      const [row] = await this.dataSource.query<{ done: number | null }[]>(work.sql, [id, ...work.values]);
      total += row?.done ?? 0;
    };
    try {
      await eachIndependently(customerIds(this.dataSource, find.sql, find.values), workFor, signal);
    } catch (error) {
      if (error instanceof AggregateError && !isDatabaseUnavailable(error)) throw error;
      // The search asks all nodes. So every customer is tried, but none of a node that has failed.
      const failed = new Set<number>();
      for await (const { id, node } of customersByNode(this.dataSource)) {
        if (signal?.aborted) break;
        if (failed.has(node)) continue;
        await workFor(id).catch((failure: unknown) => isDatabaseUnavailable(failure) && failed.add(node));
      }
      throw error;
    }
    return total;
  }

  private async ids(sql: string, values: unknown[] = []): Promise<string[]> {
    return (await this.dataSource.query<{ id: string }[]>(sql, values)).map(({ id }) => id);
  }
}
