import { Injectable, Logger, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Counter } from 'prom-client';
import { CustomerContextService } from '@platform/context';
import { isTransientFailure, DeferredWrites } from '@platform/database';
import { KeyedCallsService } from '@platform/idempotency';
import { Metrics } from '@platform/metrics';
import { SMS_STATUSES } from '../sms-record';
import type { SmsRow } from './sms-log.service';
import { type SmsStatusUpdate, SmsStoreService } from './sms-store.service';

/** Outcome of sending a message. */
interface Outcome {
  customerId: string;
  smsId: string;
  gateway: string;
  update: SmsStatusUpdate;
}

/** How long outcomes are retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5000;

/** Counts outcomes of messages and stores them, at once or, while the database is unavailable, as soon as it is back. */
@Injectable()
export class SmsOutcomesService implements OnApplicationShutdown {
  private readonly logger = new Logger(SmsOutcomesService.name);
  private readonly later: DeferredWrites<Outcome>;
  private readonly sent?: Counter<'status'>;

  constructor(
    private readonly store: SmsStoreService,
    private readonly context: CustomerContextService,
    private readonly keyedCalls: KeyedCallsService,
    // Tests run the module without metrics.
    @Optional() metrics?: Metrics,
  ) {
    this.later = new DeferredWrites<Outcome>({
      store: ({ customerId, smsId, gateway, update }) =>
        this.context.run(customerId, () => this.store.conclude(smsId, gateway, update)),
      lost: ({ customerId, smsId, update }, reason) =>
        this.logger.error({
          msg: 'the outcome of an SMS could not be stored',
          err: reason,
          customer_id: customerId,
          sms_id: smsId,
          outcome: update.status,
        }),
      capacity: 10_000,
      retryMs: 500,
    });
    if (!metrics) return;
    this.sent = new Counter({
      name: 'sms_sent_total',
      help: 'SMS by the answer of their gateway: unknown without one',
      labelNames: ['status'],
      registers: [metrics.registry],
    });
    // A counter that appears with its first increase has no increase for its reader.
    for (const status of SMS_STATUSES) this.sent.inc({ status }, 0);
  }

  /**
   * Stores the outcome. If the database is unavailable, the caller still gets the outcome, because after an error it
   * would send the message again; the log is updated later.
   */
  async conclude(row: SmsRow, gateway: string, update: SmsStatusUpdate): Promise<SmsRow> {
    this.sent?.inc({ status: update.status });
    const { customerId } = this.context;
    const storeLater = () => this.later.add({ customerId, smsId: row.id, gateway, update });
    try {
      return (await this.keyedCalls.settle(() => this.store.conclude(row.id, gateway, update), storeLater)) ?? row;
    } catch (error) {
      const about = { err: error, sms_id: row.id, outcome: update.status };
      if (isTransientFailure(error)) {
        this.logger.warn({ msg: 'the outcome of an SMS could not be stored yet', ...about });
        // With an Idempotency-Key it is repeated together with the end of the key.
        if (!this.keyedCalls.current) storeLater();
      } else this.logger.error({ msg: 'the outcome of an SMS could not be stored', ...about });
      return { ...row, status: update.status, errorCode: update.errorCode };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.later.close(SHUTDOWN_RETRY_MS);
  }
}
