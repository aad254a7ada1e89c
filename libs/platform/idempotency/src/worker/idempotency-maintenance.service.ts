import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Number of customers per query. */
const BATCH_SIZE = 1_000;
const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

const WITH_OVERDUE = `
  select distinct customer_id as id from idempotency_key
  where deadline < app.now() and customer_id > $1 order by customer_id limit $2`;

const GIVE_UP = 'select app.give_up_idempotency_keys($1) as done';

const WITH_EXPIRED = `
  select c.id from customer c
  where c.id > $1 and exists (
    select from idempotency_key k where k.customer_id = c.id and k.created_at < app.now() - interval '24 hours')
  order by c.id limit $2`;

/** A few hundred rows: each may have a reply of two megabytes. */
const PURGE = `
  with expired as (
    select key_hash from idempotency_key
    where customer_id = $1 and created_at < app.now() - interval '24 hours' limit 500),
  purged as (
    delete from idempotency_key where customer_id = $1 and key_hash in (select key_hash from expired) returning 1)
  select count(*)::int as done from purged`;

/** Ends what no request ends: keys whose process died, and keys of more than a day ago. Idempotent, customer by customer. */
@Injectable()
export class IdempotencyMaintenanceService {
  constructor(private readonly dataSource: DataSource) {}

  /** Completes keys whose process died after the effect may have happened, with the reply that says so. @returns how many */
  async giveUpOverdue(signal?: AbortSignal): Promise<number> {
    let total = 0;
    for await (const id of this.customers(WITH_OVERDUE, signal)) total += await this.work(GIVE_UP, id);
    return total;
  }

  /** Deletes keys that were claimed more than 24 hours ago, with their replies. @returns how many */
  async purgeExpired(signal?: AbortSignal): Promise<number> {
    let total = 0;
    for await (const id of this.customers(WITH_EXPIRED, signal)) {
      for (let purged = -1; purged !== 0 && !signal?.aborted; total += purged) purged = await this.work(PURGE, id);
    }
    return total;
  }

  private async *customers(find: string, signal?: AbortSignal): AsyncGenerator<string> {
    for (let last = NO_CUSTOMER; ;) {
      const found = await this.dataSource.query<{ id: string }[]>(find, [last, BATCH_SIZE]);
      for (const { id } of found) {
        if (signal?.aborted) return;
        yield id;
        last = id;
      }
      if (found.length < BATCH_SIZE) return;
    }
  }

  private async work(statement: string, customerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ done: number }[]>(statement, [customerId]);
    return row?.done ?? 0;
  }
}
