import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Customers at a time, each in a transaction of its own: one by one, each would wait for a connection behind everything else. */
const AT_ONCE = 50;

/** The longest waiting first: while more come than can be sequenced, nobody is left behind. */
const UNSEQUENCED = `select customer_id from event where position is null group by customer_id order by min(id::text) limit $1`;

/** Gives events their positions, and makes their deliveries. */
@Injectable()
export class EventSequencingService {
  constructor(private readonly dataSource: DataSource) {}

  /** Sequences the events of the customers that have new ones. @returns how many events */
  async run(signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (;;) {
      const customers = await this.dataSource.query<{ customer_id: string }[]>(UNSEQUENCED, [AT_ONCE]);
      const counts = await Promise.all(customers.map(({ customer_id }) => this.sequence(customer_id)));
      const sequenced = counts.reduce((sum, one) => sum + one, 0);
      count += sequenced;
      if (sequenced === 0 || signal?.aborted) return count;
    }
  }

  private async sequence(customerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>('select app.sequence_events($1) as count', [
      customerId,
    ]);
    return row?.count ?? 0;
  }
}
