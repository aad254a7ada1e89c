import { Injectable, Logger, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Counter } from 'prom-client';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  type CustomerStatement,
  DeferredWrites,
  EntityWritesService,
  isTransientFailure,
} from '@platform/database';
import { KeyedCallsService } from '@platform/idempotency';
import { Metrics } from '@platform/metrics';
import { SmsMessage } from '../entities/sms-message.entity';
import type { SmsErrorCode } from '../ports/sms-gateway.port';
import { SMS_STATUSES, type SmsStatus } from '../sms-values';
import { SMS, type SmsRow } from './sms-log.service';

/** A new status of a message, from the reply to its send or from a delivery report. */
export interface SmsStatusUpdate {
  status: SmsStatus;
  gatewayMessageId: string | null;
  errorCode: SmsErrorCode | null;
  /** When the handset received it; null for a delivered message means now. */
  deliveredAt: Date | null;
}

/** Outcome of sending a message. */
interface Outcome {
  customerId: string;
  smsId: string;
  gateway: string;
  update: SmsStatusUpdate;
}

/** How long outcomes are retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5000;

/**
 * Stores outcomes of messages, always of the customer in context, and counts those of sending. What the outcome of a send is, the
 * gateway's adapter decides. While the database is unavailable, outcomes of sending are stored as soon as it is back.
 */
@Injectable()
export class SmsOutcomeStoreService implements OnApplicationShutdown {
  private readonly logger = new Logger(SmsOutcomeStoreService.name);
  private readonly later: DeferredWrites<Outcome>;
  private readonly sent?: Counter<'status'>;
  private readonly recordOutcome;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly keyedCalls: KeyedCallsService,
    private readonly config: AppConfig,
    writes: EntityWritesService,
    // Tests run the module without metrics.
    @Optional() metrics?: Metrics,
  ) {
    this.recordOutcome = writes.call({
      name: 'sms.record-outcome',
      calls: 'app.record_sms_outcome',
      parameters: {
        id: 'uuid',
        gateway: 'text',
        status: 'text',
        overruled: 'text[]',
        errorCode: 'text',
        deliveredAt: 'timestamp with time zone',
        gatewayMessageId: 'text',
        zone: 'text',
      },
      row: { entity: SmsMessage, select: SMS },
    });
    this.later = new DeferredWrites<Outcome>({
      customerId: ({ customerId }) => customerId,
      store: ({ customerId, smsId, gateway, update }) =>
        this.context.run(customerId, () => this.store(smsId, gateway, update)),
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
      return (await this.keyedCalls.settle(() => this.store(row.id, gateway, update), storeLater)) ?? row;
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

  /**
   * The statement that stores a new status of a message, unless its present one is more certain. @param zone the billing time
   * zone: with it, a message that was not sent is subtracted from its day's count
   */
  statement(id: string, gateway: string, update: SmsStatusUpdate, zone: string | null): CustomerStatement<SmsRow> {
    const overruled = SMS_STATUSES.slice(0, SMS_STATUSES.indexOf(update.status));
    return this.recordOutcome({ ...update, id, gateway, overruled, zone });
  }

  /** Idempotent. @returns the message with its current status */
  private async store(id: string, gateway: string, update: SmsStatusUpdate): Promise<SmsRow | undefined> {
    const outcome = this.statement(id, gateway, update, this.config.BILLING_TIMEZONE);
    const [[row]] = await this.database.write([outcome], { ends: true });
    return row;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.later.close(SHUTDOWN_RETRY_MS);
  }
}
