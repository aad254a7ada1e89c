import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { purgeEachCustomer } from '@platform/database';

/** A thread goes with its ticket. One that is being changed is looked at again in the next run. */
const PURGE = `
  with expired as (
    select id from support_ticket
    where customer_id = $1 and status = 'closed' and updated_at < app.now() - make_interval(days => $2) limit 100
    for update skip locked),
  replies as (
    delete from support_ticket_reply where customer_id = $1 and ticket_id in (select id from expired) returning 1),
  purged as (delete from support_ticket where customer_id = $1 and id in (select id from expired) returning 1)
  select count(*)::int as done from purged`;

/** Deletes old tickets. */
@Injectable()
export class TicketRetentionService {
  constructor(private readonly dataSource: DataSource) {}

  /** Deletes tickets that were closed, and not changed since, for the given number of days. @returns how many */
  purge(days: number, signal?: AbortSignal): Promise<number> {
    return purgeEachCustomer(this.dataSource, PURGE, [days], signal);
  }
}
