import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerIds, customerPages, eachIndependently } from '@platform/database';

const WITH_OVERDUE = `
  select distinct customer_id as id from idempotency_key
  where deadline < app.now() and customer_id > $1 order by customer_id limit $2`;

const GIVE_UP = 'select app.give_up_idempotency_keys($1) as done';

/** Of these customers, by the index of ages. A cluster does not take it in one query with the customers. */
const WITH_EXPIRED = `
  select distinct customer_id as id from idempotency_key
  where customer_id = any ($1::uuid[]) and created_at < app.now() - app.idempotency_key_lifetime()`;

/** A few hundred rows: each may have a reply of two megabytes. One that is being used again, or was meanwhile, is left alone. */
const PURGE = `
  with expired as (
    select key_hash from idempotency_key
    where customer_id = $1 and created_at < app.now() - app.idempotency_key_lifetime() limit 500
    for update skip locked),
  purged as (
    delete from idempotency_key where customer_id = $1 and key_hash in (select key_hash from expired) returning 1)
  select count(*)::int as done from purged`;

/** Ends what no request ends: keys whose process died, and keys beyond their lifetime. Idempotent, customer by customer. */
@Injectable()
export class IdempotencyMaintenanceService {
  constructor(private readonly dataSource: DataSource) {}

  /** Completes keys whose process died after the effect may have happened, with the reply that says so. @returns how many */
  async giveUpOverdue(signal?: AbortSignal): Promise<number> {
    let total = 0;
    const giveUp = async (id: string) => void (total += await this.work(GIVE_UP, id));
    await eachIndependently(customerIds(this.dataSource, WITH_OVERDUE), giveUp, signal);
    return total;
  }

  /** Deletes keys that were claimed longer ago than their lifetime, with their replies. @returns how many */
  async purgeExpired(signal?: AbortSignal): Promise<number> {
    let total = 0;
    const purge = async (id: string) => {
      for (let purged = -1; purged !== 0 && !signal?.aborted; total += purged) purged = await this.work(PURGE, id);
    };
    await eachIndependently(this.withExpired(), purge, signal);
    return total;
  }

  private async *withExpired(): AsyncGenerator<string> {
    for await (const page of customerPages(this.dataSource)) yield* await this.ids(WITH_EXPIRED, [page]);
  }

  private async ids(find: string, values: unknown[]): Promise<string[]> {
    return (await this.dataSource.query<{ id: string }[]>(find, values)).map(({ id }) => id);
  }

  private async work(statement: string, customerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ done: number }[]>(statement, [customerId]);
    return row?.done ?? 0;
  }
}
