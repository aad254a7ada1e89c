import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingCalendar } from '../billing-calendar';

/** Customers looked up at a time. */
const PORTION = 1_000;

/**
 * What must happen without a call: the turn of the month, and holds that nobody came back for. Both in two steps, find
 * the customers, then work customer by customer; both safe to repeat and to run in several workers at once.
 */
@Injectable()
export class AiMaintenance {
  constructor(
    private readonly dataSource: DataSource,
    private readonly calendar: BillingCalendar,
  ) {}

  /** Rolls accounts into the present month. @returns how many were rolled here; calls and other workers roll them too */
  rollMonthsOver(signal?: AbortSignal): Promise<number> {
    const { now, month } = this.calendar.present();
    return this.forEach(
      { find: 'select customer_id as id from ai_account where month < $1 limit $2', given: month },
      async (customerId) => {
        const [row] = await this.dataSource.query<{ rolled: boolean }[]>(
          'select app.ai_roll_over($1, $2, $3) as rolled',
          [customerId, month, now],
        );
        return Number(row?.rolled === true);
      },
      signal,
    );
  }

  /** Gives up calls whose deadline has passed, uncharged. @returns how many */
  resolveStaleHolds(signal?: AbortSignal): Promise<number> {
    const { now } = this.calendar.present();
    return this.forEach(
      {
        find: `select distinct customer_id as id from ai_hold where state = 'pending' and deadline < $1 limit $2`,
        given: now,
      },
      async (customerId) => {
        const [row] = await this.dataSource.query<{ resolved: number }[]>(
          'select app.ai_resolve_stale($1, $2) as resolved',
          [customerId, now],
        );
        return row?.resolved ?? 0;
      },
      signal,
    );
  }

  private async forEach(
    { find, given }: { find: string; given: unknown },
    work: (customerId: string) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<number> {
    let total = 0;
    for (;;) {
      const customers = await this.dataSource.query<{ id: string }[]>(find, [given, PORTION]);
      for (const { id } of customers) {
        if (signal?.aborted) return total;
        total += await work(id);
      }
      if (customers.length < PORTION) return total;
    }
  }
}
