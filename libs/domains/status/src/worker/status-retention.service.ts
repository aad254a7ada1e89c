import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { purgeEachCustomer } from '@platform/database';

const PURGE = `
  with expired as (
    select id from status_event
    where customer_id = $1 and ends_at < app.now() - make_interval(days => $2) limit 500),
  purged as (delete from status_event where customer_id = $1 and id in (select id from expired) returning 1)
  select count(*)::int as done from purged`;

/** Deletes old status events. */
@Injectable()
export class StatusRetentionService {
  constructor(private readonly dataSource: DataSource) {}

  /** Deletes events that ended the given number of days ago. @returns how many */
  purge(days: number, signal?: AbortSignal): Promise<number> {
    return purgeEachCustomer(this.dataSource, PURGE, [days], signal);
  }
}
