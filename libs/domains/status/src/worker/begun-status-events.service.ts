import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerIds, eachIndependently } from '@platform/database';
import { announceBegun } from '../status-announcements';

/** Customers with status events that have begun as they were planned. */
const BEGUN = `
  select distinct customer_id as id from status_event
  where not begin_told and app.status_event_runs(starts_at, ends_at, app.now()) and customer_id > $1
  order by customer_id limit $2`;

/** Tells customers of status events that begin at a planned time. */
@Injectable()
export class BegunStatusEventsService {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns how many status events were told */
  async announce(signal?: AbortSignal): Promise<number> {
    let told = 0;
    const announce = async (id: string) =>
      void (told += await this.dataSource.transaction((manager) => announceBegun(manager, [id])));
    await eachIndependently(customerIds(this.dataSource, BEGUN), announce, signal);
    return told;
  }
}
