import { Counter } from 'prom-client';
import type { Metrics } from '@platform/metrics';

/** Customers that have a series of their own, per process: a metric must not grow with the number of customers. */
const MOST = 100;
/** Labels of whom it is not known, and of those beyond {@link MOST}. */
const [NONE, OTHERS] = ['none', 'others'];

/** Counts requests that were refused with 429, by customer: who reaches a limit, and how often. */
export class LimitedCustomers {
  private readonly known = new Set<string>();
  private readonly refused: Counter<'customer_id'>;

  constructor({ registry }: Metrics) {
    this.refused = new Counter({
      name: 'rate_limited_requests_total',
      help: 'Requests refused with 429, by customer; none: before it was known who calls',
      labelNames: ['customer_id'],
      registers: [registry],
    });
    for (const label of [NONE, OTHERS]) this.refused.inc({ customer_id: label }, 0);
  }

  count(customerId: string | undefined): void {
    this.refused.inc({ customer_id: customerId === undefined ? NONE : this.label(customerId) });
  }

  private label(customerId: string): string {
    if (!this.known.has(customerId) && this.known.size >= MOST) return OTHERS;
    this.known.add(customerId);
    return customerId;
  }
}
