import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { isTransientFailure, DeferredWrites } from '@platform/database';
import { KeyedCallsService } from '@platform/idempotency';
import type { SmsRow } from '../sms-view';
import { SmsMetricsService } from './sms-metrics.service';
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

/** Stores outcomes of messages, at once or, while the database is unavailable, as soon as it is back. */
@Injectable()
export class SmsOutcomesService implements OnApplicationShutdown {
  private readonly logger = new Logger(SmsOutcomesService.name);
  private readonly later: DeferredWrites<Outcome>;

  constructor(
    private readonly store: SmsStoreService,
    private readonly context: CustomerContextService,
    private readonly keyedCalls: KeyedCallsService,
    private readonly metrics: SmsMetricsService,
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
  }

  /**
   * Stores the outcome. If the database is unavailable, the caller still gets the outcome, because after an error it
   * would send the message again; the log is updated later.
   */
  async conclude(row: SmsRow, gateway: string, update: SmsStatusUpdate): Promise<SmsRow> {
    this.metrics.count(update.status);
    try {
      return (await this.keyedCalls.settle(() => this.store.conclude(row.id, gateway, update))) ?? row;
    } catch (error) {
      const about = { err: error, sms_id: row.id, outcome: update.status };
      if (isTransientFailure(error)) {
        this.logger.warn({ msg: 'the outcome of an SMS could not be stored yet', ...about });
        // With an Idempotency-Key it is repeated together with the end of the key.
        if (!this.keyedCalls.current)
          this.later.add({ customerId: this.context.customerId, smsId: row.id, gateway, update });
      } else this.logger.error({ msg: 'the outcome of an SMS could not be stored', ...about });
      return { ...row, status: update.status, errorCode: update.errorCode };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.later.close(SHUTDOWN_RETRY_MS);
  }
}
