import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { announceBegun } from '../status-announcements';

/** Customers with status events that have begun as they were planned. */
const BEGUN = `
  select distinct customer_id from status_event
  where not begin_told and app.status_event_runs(starts_at, ends_at, app.now()) limit 500`;

/** Tells customers of status events that begin at a planned time. */
@Injectable()
export class BegunStatusEventsService {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns how many status events were told */
  async announce(signal?: AbortSignal): Promise<number> {
    const customers = await this.dataSource.query<{ customer_id: string }[]>(BEGUN);
    let told = 0;
    for (const { customer_id } of customers) {
      if (signal?.aborted) return told;
      told += await this.dataSource.transaction((manager) => announceBegun(manager, [customer_id]));
    }
    return told;
  }
}
