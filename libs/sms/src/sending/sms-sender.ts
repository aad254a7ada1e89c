import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '@app/audit';
import { AppConfig } from '@app/config';
import { ServiceError } from '@app/errors';
import { ROOT_LOGGER, type RootLogger } from '@app/logging';
import { type SendOutcome, SmsGateway } from '../gateway/sms-gateway';
import { ReportReferences } from '../reports/report-references';
import type { SmsRow } from '../sms-view';
import { BillingDay } from './billing-day';
import { failureOf } from './send-failure';
import { isPlausibleRecipient } from './phone-number';
import { segmentsOf } from './segments';
import { type SmsNews, SmsStore } from './sms-store';

/** What a customer asks to be sent. */
export interface SmsOrder {
  /** E.164. */
  to: string;
  /** 1 to 918 Unicode characters. */
  message: string;
}

/** Sends SMS: one message per call at most, whatever happens on the way, and each in the log before it leaves. */
@Injectable()
export class SmsSender {
  private readonly days: BillingDay;

  constructor(
    private readonly gateway: SmsGateway,
    private readonly store: SmsStore,
    private readonly audit: AuditLog,
    private readonly references: ReportReferences,
    private readonly config: AppConfig,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {
    this.days = new BillingDay(config.BILLING_TIMEZONE);
  }

  /**
   * @param actor who asks, for the audit log.
   * @throws ServiceError invalid_request, sms_disabled, rate_limited (daily cap), sms_gateway_rejected (this message will
   * not be sent), sms_gateway_failed (it was not sent, or nobody knows: the detail says which).
   */
  async send(customerId: string, actor: string, order: SmsOrder): Promise<SmsRow> {
    this.check(order);
    const createdAt = new Date();
    const day = this.days.at(createdAt);
    const row = await this.writeDown(customerId, actor, order, createdAt, day);
    const reference = this.references.of(customerId, row.id);
    const outcome = await this.gateway.send({ ...order, customerId, reference, senderId: row.sender_id });
    const told = await this.conclude(customerId, row, outcome, day);
    if (outcome.kind !== 'taken' && told.status !== 'delivered' && told.status !== 'sent')
      throw failureOf(outcome, row.id);
    return told;
  }

  private check({ to, message }: SmsOrder): void {
    const refuse = (pointer: string, detail: string) =>
      new ServiceError('invalid_request', detail, { errors: [{ pointer, detail }] });
    if (!isPlausibleRecipient(to)) throw refuse('/to', 'to is not a telephone number that can exist');
    const unsupported = this.gateway.unsupported(message);
    if (unsupported !== undefined) throw refuse('/message', unsupported);
  }

  private writeDown(customerId: string, actor: string, order: SmsOrder, createdAt: Date, day: string): Promise<SmsRow> {
    return this.store.database.transaction(async (manager) => {
      const permission = await this.store.permission(manager, customerId);
      if (!permission) throw new ServiceError('sms_disabled', 'The operator has not enabled SMS for this customer');
      const cap = permission.dailyCap ?? this.config.SMS_DAILY_CAP;
      if (!(await this.store.count(manager, customerId, day, cap))) {
        const retryAfterSeconds = this.days.secondsLeft(createdAt);
        throw new ServiceError('rate_limited', `The daily cap of ${cap} SMS is reached`, { retryAfterSeconds });
      }
      const sms = { ...order, ...segmentsOf(order.message), id: randomUUID(), senderId: permission.senderId };
      const row = await this.store.add(manager, customerId, { ...sms, gateway: this.gateway.name, createdAt });
      await this.audit.record(manager, { customerId, actor, action: 'sms.send', metadata: { sms_id: row.id } });
      return row;
    });
  }

  /**
   * Adds the outcome to the log. If the database is away just then the caller is still told what happened to the
   * message: an error would make it send the message again.
   */
  private async conclude(customerId: string, row: SmsRow, outcome: SendOutcome, day: string): Promise<SmsRow> {
    const news = newsOf(outcome);
    try {
      return await this.store.database.transaction(async (manager) => {
        const key = { id: row.id, gateway: this.gateway.name };
        const updated = await this.store.update(manager, customerId, key, news);
        if (news.status === 'failed' && updated?.status === 'failed')
          await this.store.uncount(manager, customerId, day);
        return updated ?? row;
      });
    } catch (error) {
      this.logger.error(
        { err: error, sms_id: row.id, outcome: news.status },
        'the outcome of an SMS could not be stored',
      );
      return { ...row, status: news.status, error_code: news.errorCode };
    }
  }
}

function newsOf(outcome: SendOutcome): SmsNews {
  const common = { deliveredAt: null, at: new Date() };
  if (outcome.kind === 'taken') {
    return { ...common, status: outcome.status, errorCode: null, gatewayMessageId: outcome.gatewayMessageId };
  }
  const status = outcome.kind === 'unknown' ? 'unknown' : 'failed';
  return { ...common, status, errorCode: outcome.errorCode, gatewayMessageId: null };
}
