import { Injectable, Optional } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '@platform/metrics';

/** What became known of a message when it was sent. */
const STATUSES = ['accepted', 'sent', 'delivered', 'failed', 'unknown'];

/** Counts what gateways said to messages. */
@Injectable()
export class SmsMetricsService {
  private readonly sent?: Counter<'status'>;

  // Tests run the module without metrics.
  constructor(@Optional() metrics?: Metrics) {
    if (!metrics) return;
    this.sent = new Counter({
      name: 'sms_sent_total',
      help: 'SMS by the answer of their gateway: unknown without one',
      labelNames: ['status'],
      registers: [metrics.registry],
    });
    // A counter that appears with its first increase has no increase for whoever watches it.
    for (const status of STATUSES) this.sent.inc({ status }, 0);
  }

  count(status: string): void {
    this.sent?.inc({ status });
  }
}
