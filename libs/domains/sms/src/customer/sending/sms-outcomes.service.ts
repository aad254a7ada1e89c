import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { isTransientFailure, DeferredWrites } from '@platform/database';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import type { SmsRow } from '../sms-view';
import { type SmsNews, SmsStoreService } from './sms-store.service';

/** What came of sending a message. */
interface Outcome {
  customerId: string;
  smsId: string;
  gateway: string;
  news: SmsNews;
}

/** At shutdown, outcomes are tried to be stored for this long yet. */
const LAST_TRIES_MS = 5000;

/** Stores what came of messages, at once or, while the database is away, as soon as it is back. */
@Injectable()
export class SmsOutcomesService implements OnApplicationShutdown {
  private readonly later: DeferredWrites<Outcome>;

  constructor(
    private readonly store: SmsStoreService,
    private readonly context: CustomerContextService,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {
    this.later = new DeferredWrites<Outcome>({
      store: ({ customerId, smsId, gateway, news }) =>
        this.context.run(customerId, () => this.store.conclude(smsId, gateway, news)),
      lost: ({ customerId, smsId, news }, reason) =>
        this.logger.error(
          { err: reason, customer_id: customerId, sms_id: smsId, outcome: news.status },
          'the outcome of an SMS could not be stored',
        ),
      capacity: 10_000,
      retryMs: 500,
    });
  }

  /**
   * Adds the outcome to the log. If the database is away just then the caller is still told what happened to the message,
   * since an error would make it send the message again; the log follows.
   */
  async conclude(row: SmsRow, gateway: string, news: SmsNews): Promise<SmsRow> {
    try {
      return (await this.store.conclude(row.id, gateway, news)) ?? row;
    } catch (error) {
      const about = { err: error, sms_id: row.id, outcome: news.status };
      if (isTransientFailure(error)) {
        this.logger.warn(about, 'the outcome of an SMS could not be stored yet');
        this.later.add({ customerId: this.context.customerId, smsId: row.id, gateway, news });
      } else this.logger.error(about, 'the outcome of an SMS could not be stored');
      return { ...row, status: news.status, error_code: news.errorCode };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.later.close(LAST_TRIES_MS);
  }
}
