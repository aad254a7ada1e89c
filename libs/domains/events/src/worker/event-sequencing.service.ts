import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Customers of one transaction: none of them waits long for another one's lock. */
const AT_ONCE = 50;

/** In the order of their ids, so that two workers never lock each other out. */
const UNSEQUENCED = `
  select customer_id from (select distinct customer_id from event where position is null) e order by customer_id limit $1`;

/** Gives events their positions, and makes their deliveries. */
@Injectable()
export class EventSequencingService {
  constructor(private readonly dataSource: DataSource) {}

  /** Sequences the events of the customers that have new ones. @returns how many events */
  async run(signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (;;) {
      const customers = await this.dataSource.query<{ customer_id: string }[]>(UNSEQUENCED, [AT_ONCE]);
      const before = count;
      for (const { customer_id } of customers) {
        const [row] = await this.dataSource.query<{ count: number }[]>('select app.sequence_events($1) as count', [
          customer_id,
        ]);
        count += row?.count ?? 0;
      }
      if (count === before || signal?.aborted) return count;
    }
  }
}
