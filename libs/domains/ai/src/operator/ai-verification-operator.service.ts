import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { clientSettings, customerPages, DeadlineClient, PartitionsService, timeOfId } from '@platform/database';
import { BillingCalendar } from '@platform/time';
import { SharedWork } from './shared-work';

/** A difference between a customer's account, ledger, usage and reservations. */
export interface LedgerProblem {
  customerId: string;
  /** Description of the difference. */
  problem: string;
  /** The actual value, and the expected one. */
  found: string;
  expected: string;
}

/**
 * How long into the oldest month calls can have been charged whose ids, and so whose rows, are of a month that was dropped: the sums of
 * that day are left out.
 */
const LATE_CHARGES_MS = 43_200_000;

/** Customers that are verified in one statement: planning it takes as long as reading hundreds of calls. */
const CUSTOMERS = 20;
/** How long a statement may take, in milliseconds: it reads all that is kept of its customers. */
const STATEMENT_MS = 3_600_000;
/** How often PostgreSQL looks whether a statement is still wanted, in milliseconds. */
const CHECK_MS = 5_000;

/** The sums of a day in words; null if there are none. */
const sumsOf = (alias: string) =>
  `${alias}.calls || ' calls: ' || trim_scale(${alias}.included) || ' + ' || trim_scale(${alias}.purchased) || ' NOK, uncovered ' ||
    trim_scale(${alias}.uncovered) || ' of ' || trim_scale(${alias}.cost) || ', tokens ' || ${alias}.tokens`;

const ACCOUNTS = 'select count(*)::int as count from ai_account where $1::uuid is null or customer_id = $1';

/** The customers whose rows belong to no customer: none of the tables with many rows has a foreign key. */
const UNKNOWN_CUSTOMERS = `
  select o.customer_id as id
  from (
    select customer_id from ai_ledger_entry group by customer_id
    union all select customer_id from ai_reservation group by customer_id
    union all select customer_id from ai_usage group by customer_id) o
  where not exists (select from customer c where c.id = o.customer_id)
  group by 1 order by 1`;

// The problems of some customers. One statement, therefore one snapshot: calls in progress cause no false problems.
const VERIFY = `
  with carried as (
    select customer_id, max(sequence) as sequence, max(before) as before,
           sum(balance) filter (where bucket = 'included') as included,
           sum(balance) filter (where bucket = 'purchased') as purchased
    from ai_ledger_carried
    where customer_id = any($1::uuid[])
    group by customer_id
  ),
  entries as (
    select e.customer_id, e.sequence, e.bucket, e.month, e.kind, e.amount, e.balance_after,
           coalesce(f.sequence, 0) + row_number() over (partition by e.customer_id order by e.sequence) as place,
           coalesce(case e.bucket when 'included' then f.included else f.purchased end, 0)
             + sum(e.amount) over (partition by e.customer_id, e.bucket order by e.sequence) as running
    from ai_ledger_entry e
    left join carried f on f.customer_id = e.customer_id
    where e.customer_id = any($1::uuid[]) and e.sequence > coalesce(f.sequence, 0)
  ),
  account as (
    select a.customer_id, a.month, a.included, a.carried_over, a.purchased, a.reserved, a.month_usage, a.month_included_usage,
           a.month_granted, a.ledger_sequence
    from ai_account a
    where a.customer_id = any($1::uuid[])
  ),
  total as (
    select e.customer_id,
           coalesce(sum(e.amount) filter (where e.bucket = 'included'), 0) as included,
           coalesce(sum(e.amount) filter (where e.bucket = 'purchased'), 0) as purchased,
           coalesce(-sum(e.amount) filter (where e.kind = 'usage' and e.month = a.month), 0) as month_usage,
           coalesce(-sum(e.amount) filter (where e.kind = 'usage' and e.bucket = 'included' and e.month = a.month), 0)
             as month_included_usage,
           coalesce(sum(e.amount) filter (where e.kind = 'monthly_included' and e.month = a.month), 0) as month_granted,
           count(*) as entries
    from entries e
    join account a on a.customer_id = e.customer_id
    group by e.customer_id
  ),
  pending as (
    select h.customer_id, sum(h.amount) as reserved, coalesce(sum(h.amount) filter (where h.month < a.month), 0) as reserved_over_month
    from ai_reservation h
    join account a on a.customer_id = h.customer_id
    where h.state = 'pending'
    group by h.customer_id
  ),
  charged as (
    select customer_id, usage_id, -sum(amount) as amount
    from ai_ledger_entry
    where kind = 'usage' and customer_id = any($1::uuid[])
    group by customer_id, usage_id
  ),
  topup as (
    select customer_id, credit_request_id, string_agg(format('%s of %s, %s NOK, invoice %s', kind, bucket,
             trim_scale(amount), coalesce(invoice_id::text, 'none')), '; ' order by sequence) as booked
    from ai_ledger_entry e
    where credit_request_id is not null and customer_id = any($1::uuid[])
      and not exists (select from carried f where f.customer_id = e.customer_id and f.before > e.created_at)
    group by customer_id, credit_request_id
  ),
  used as (
    select customer_id, (created_at at time zone $3)::date as day, model,
           coalesce(token_id, '00000000-0000-0000-0000-000000000000') as token_id, count(*) as calls,
           sum(paid_from_included) as included, sum(paid_from_purchased) as purchased, sum(uncovered) as uncovered, sum(cost) as cost,
           concat_ws(' ', sum(input_tokens), sum(output_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
             sum(cache_read_tokens)) as tokens
    from ai_usage
    where customer_id = any($1::uuid[])
    group by 1, 2, 3, 4
  ),
  summed as (
    select customer_id, day, model, token_id, calls, paid_from_included as included, paid_from_purchased as purchased, uncovered, cost,
           concat_ws(' ', input_tokens, output_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens) as tokens
    from ai_usage_day
    where customer_id = any($1::uuid[])
  ),
  approved as (
    select customer_id, id, format('invoice_topup of purchased, %s NOK, invoice %s', trim_scale(amount_nok), invoice_id) as booked
    from ai_credit_request r
    where status = 'approved' and customer_id = any($1::uuid[])
      and not exists (select from carried f where f.customer_id = r.customer_id and f.before > r.decided_at)
  )
  select a.customer_id as "customerId", c.problem, c.found::text, c.expected::text
  from account a
  left join total t on t.customer_id = a.customer_id
  left join carried f on f.customer_id = a.customer_id
  left join pending p on p.customer_id = a.customer_id
  cross join lateral (values
    ('included credit is not the sum of its ledger entries', a.included, coalesce(f.included, 0) + coalesce(t.included, 0)),
    ('purchased credit is not the sum of its ledger entries', a.purchased, coalesce(f.purchased, 0) + coalesce(t.purchased, 0)),
    ('usage of the month is not the sum of its ledger entries', a.month_usage, coalesce(t.month_usage, 0)),
    ('usage of included credit in the month is not the sum of its ledger entries',
      a.month_included_usage, coalesce(t.month_included_usage, 0)),
    ('credit granted for the month is not the sum of its ledger entries', a.month_granted, coalesce(t.month_granted, 0)),
    ('more included credit is carried over than calls of an earlier month have reserved',
      a.carried_over, least(a.carried_over, a.included, coalesce(p.reserved_over_month, 0))),
    ('reserved credit is not the sum of the pending reservations', a.reserved, coalesce(p.reserved, 0)),
    ('the entry count is not the number of entries', a.ledger_sequence, coalesce(f.sequence, 0) + coalesce(t.entries, 0))
  ) as c (problem, found, expected)
  where c.found <> c.expected
  union all
  select customer_id, format('entry %s is out of sequence', sequence), sequence::text, place::text
  from entries where sequence <> place
  union all
  select customer_id, format('entry %s: the balance after it is not the sum so far', sequence), balance_after::text, running::text
  from entries where balance_after <> running
  union all
  select coalesce(u.customer_id, c.customer_id), format('call %s: its charge differs from its usage', coalesce(u.id, c.usage_id)),
         coalesce(c.amount::text, 'no ledger entry'), coalesce((u.cost - u.uncovered)::text, 'no usage')
  from (select * from ai_usage where customer_id = any($1::uuid[])) u
  full join charged c on c.customer_id = u.customer_id and c.usage_id = u.id
  left join carried f on f.customer_id = u.customer_id and f.before > u.created_at
  where c.amount is distinct from u.cost - u.uncovered and f.customer_id is null
    and (u.id is not null or $2::uuid is null or c.usage_id >= $2)
  union all
  select customer_id, format('%s, model %s, token %s: the sum of the day is not that of its calls', day, model, token_id),
         coalesce(${sumsOf('d')}, 'no sum'), coalesce(${sumsOf('u')}, 'no calls')
  from summed d full join used u using (customer_id, day, model, token_id)
  where ($4::timestamptz is null or day > ($4::timestamptz at time zone $3)::date)
    and (d.calls, d.included, d.purchased, d.uncovered, d.cost, d.tokens)
      is distinct from (u.calls, u.included, u.purchased, u.uncovered, u.cost, u.tokens)
  union all
  select coalesce(r.customer_id, t.customer_id),
         format('credit request %s: the booked credit is not the approved credit', coalesce(r.id, t.credit_request_id)),
         coalesce(t.booked, 'no ledger entry'), coalesce(r.booked, 'no approval')
  from approved r
  full join topup t on t.customer_id = r.customer_id and t.credit_request_id = r.id
  where t.booked is distinct from r.booked
  union all
  select h.customer_id,
         format(case h.state when 'not_charged' then 'call %s: charged, though its customer was told that it is not'
                             else 'call %s: charged, and yet reserved' end, h.id), h.state, 'no reservation'
  from ai_reservation h
  join ai_usage u on u.customer_id = h.customer_id and u.id = h.id
  where h.state <> 'settled_late' and h.customer_id = any($1::uuid[])
  union all
  select h.customer_id, format('call %s: charged late, and yet not charged', h.id), 'no usage', 'a usage'
  from ai_reservation h
  where h.state = 'settled_late' and h.customer_id = any($1::uuid[])
    and ($2::uuid is null or h.id >= $2)
    and not exists (select from ai_usage u where u.customer_id = h.customer_id and u.id = h.id)
  union all
  select h.customer_id, format('call %s: no such state', h.id), h.state, 'one of the five states'
  from ai_reservation h
  where h.state not in ('pending', 'released', 'outcome_unknown', 'not_charged', 'settled_late') and h.customer_id = any($1::uuid[])
  union all
  select u.customer_id, format('call %s: uncovered is no part of its cost', u.id), u.uncovered::text, u.cost::text
  from ai_usage u
  where not u.uncovered between 0 and u.cost and u.customer_id = any($1::uuid[])
  union all
  select customer_id, format('entry %s: no such kind, or not of such a bucket', sequence), format('%s of %s', kind, bucket), 'one of the six kinds'
  from entries
  where not coalesce(case bucket
    when 'included' then kind in ('monthly_included', 'usage', 'manual_adjustment', 'refund', 'expiry')
    when 'purchased' then kind in ('usage', 'manual_adjustment', 'invoice_topup', 'refund') end, false)
  union all
  select o.customer_id, format('%s without an account', o.what), o.rows::text, '0'
  from (
    select customer_id, 'ledger entries' as what, count(*) as rows from ai_ledger_entry group by customer_id
    union all select customer_id, 'reservations', count(*) from ai_reservation group by customer_id
    union all select customer_id, 'usages', count(*) from ai_usage group by customer_id) o
  where o.customer_id = any($1::uuid[]) and not exists (select from ai_account a where a.customer_id = o.customer_id)
  order by 1, 2`;

/**
 * Verifies the accounts: every account equals its ledger, every charge its usage, the sums of every day its calls. Of months
 * that were dropped it takes the sums that were carried forward, and leaves out rows without a counterpart.
 */
@Injectable()
export class AiVerificationOperatorService {
  private readonly verifications = new SharedWork((customerId: string | undefined, signal) =>
    this.verifyNow(customerId, signal),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly partitions: PartitionsService,
    private readonly calendar: BillingCalendar,
    private readonly config: AppConfig,
  ) {}

  /** Number of accounts to verify, of one customer or of all. */
  async accounts(customerId?: string): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(ACCOUNTS, [customerId ?? null]);
    return row?.count ?? 0;
  }

  /**
   * All problems, of one customer or of all; empty if there are none. Who asks while the same is being verified gets that; it ends when
   * all who asked have gone. @param gone aborts when this one has
   */
  verify(customerId?: string, gone?: AbortSignal): Promise<LedgerProblem[]> {
    return this.verifications.ask(customerId, gone);
  }

  private async verifyNow(customerId: string | undefined, signal: AbortSignal): Promise<LedgerProblem[]> {
    const problems: LedgerProblem[] = [];
    const found = (problem: LedgerProblem) => problems.push(problem);
    await this.patiently(
      (client) =>
        customerId === undefined ? this.verifyEach(client, signal, found) : this.verifyOn(client, [customerId], found),
      signal,
    );
    return problems;
  }

  private async verifyOn(
    client: DeadlineClient,
    customerIds: string[],
    found: (problem: LedgerProblem) => void,
  ): Promise<void> {
    const oldestUsage = await this.partitions.oldestId('ai_usage');
    const brokenDay = oldestUsage && new Date(timeOfId(oldestUsage) + LATE_CHARGES_MS).toISOString();
    const values = [customerIds, oldestUsage, this.calendar.timeZone, brokenDay];
    (await client.query<LedgerProblem>(VERIFY, values)).rows.forEach(found);
  }

  /** Verifies some customers after the others: a statement for all would hold a snapshot for minutes. @throws if the signal aborts */
  private async verifyEach(
    client: DeadlineClient,
    signal: AbortSignal,
    found: (problem: LedgerProblem) => void,
  ): Promise<void> {
    for await (const page of customerPages(this.dataSource)) {
      for (let at = 0; at < page.length; at += CUSTOMERS) {
        signal.throwIfAborted();
        await this.verifyOn(client, page.slice(at, at + CUSTOMERS), found);
      }
    }
    const unknown = await client.query<{ id: string }>(UNKNOWN_CUSTOMERS);
    if (unknown.rows.length > 0)
      await this.verifyOn(
        client,
        unknown.rows.map(({ id }) => id),
        found,
      );
  }

  /**
   * Runs statements on a connection of their own, where they may take longer than those of a request. They end soon after the
   * signal, or this process, has ended the connection.
   */
  private async patiently<T>(work: (client: DeadlineClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const settings = clientSettings(this.config, 'account_operator', STATEMENT_MS);
    const options = `${settings.options} -c client_connection_check_interval=${CHECK_MS}`;
    const client = new DeadlineClient({ ...settings, options });
    const leave = () => client.disconnect();
    await client.connect();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      signal?.throwIfAborted();
      return await work(client);
    } finally {
      signal?.removeEventListener('abort', leave);
      await client.end();
    }
  }

  /**
   * Verifies the accounts of all customers and stores the number of problems; undefined if it was aborted, and then stores nothing.
   */
  async runAll(
    signal: AbortSignal,
    found: (problem: LedgerProblem) => void,
  ): Promise<{ accounts: number; problems: number } | undefined> {
    let problems = 0;
    const count = (problem: LedgerProblem) => {
      problems++;
      found(problem);
    };
    try {
      await this.patiently((client) => this.verifyEach(client, signal, count), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
    const accounts = await this.accounts();
    await this.dataSource.query('update ai_verification set finished_at = now(), accounts = $1, problems = $2', [
      accounts,
      problems,
    ]);
    return { accounts, problems };
  }
}
