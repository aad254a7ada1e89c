import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { ServiceError } from '@platform/errors';
import { KeyedCallsService } from '@platform/idempotency';
import { type SendOutcome, SmsGateway } from '../../ports/sms-gateway.port';
import { ReportReferencesService } from '../../delivery-reports/report-references.service';
import type { SmsRow } from '../sms-view';
import { refusedRecipient } from './create-refusal';
import { failureOf, outcomeUnknown } from './send-failure';
import { isPlausibleRecipient, recipientKind } from './phone-number';
import { segmentsOf } from './segments';
import { SmsOutcomesService } from './sms-outcomes.service';
import { type SmsStatusUpdate, SmsStoreService } from './sms-store.service';

/** Time for the outcome to be stored after the gateway has answered, or has not. */
const STORE_MS = 5_000;

/** A message that a customer wants to send. */
export interface SmsOrder {
  /** E.164. */
  to: string;
  /** 1 to 918 Unicode characters. */
  message: string;
}

/** Sends SMS. Each call sends one message at most, and stores it in the log before it is sent. */
@Injectable()
export class SmsSendingService {
  constructor(
    private readonly gateway: SmsGateway,
    private readonly store: SmsStoreService,
    private readonly outcomes: SmsOutcomesService,
    private readonly references: ReportReferencesService,
    private readonly context: CustomerContextService,
    private readonly keyedCalls: KeyedCallsService,
    private readonly config: AppConfig,
  ) {}

  /**
   * @param actor the token, for the audit log
   * @throws ServiceError invalid_request, sms_disabled, rate_limited (daily cap), sms_gateway_rejected (this message
   * will not be sent), sms_gateway_failed (it was not sent, or the outcome is unknown: the detail says which)
   */
  async send(actor: string, order: SmsOrder): Promise<SmsRow> {
    const country = this.check(order);
    const gateway = this.gateway.name;
    const sms = { ...order, ...segmentsOf(order.message), country, gateway };
    const { customerId } = this.context;
    const row = await this.keyedCalls.start(
      () => this.store.create(actor, sms),
      ({ id }) => ({ id, unknown: outcomeUnknown(id), withinMs: this.config.SMS_GATEWAY_TIMEOUT_MS + STORE_MS }),
    );
    const reference = this.references.of(customerId, row.id);
    const outcome = await this.gateway.send({ ...order, customerId, reference, senderId: row.senderId });
    const result = await this.outcomes.conclude(row, gateway, updateOf(outcome));
    if (outcome.kind !== 'taken' && result.status !== 'delivered' && result.status !== 'sent')
      throw failureOf(outcome, row.id);
    return result;
  }

  /** @returns the recipient's country, if its number tells */
  private check({ to, message }: SmsOrder): string | undefined {
    if (!isPlausibleRecipient(to)) throw refusedRecipient('to is not a valid telephone number');
    const { country, never } = recipientKind(to);
    if (never !== undefined) throw refusedRecipient(`to is a ${never} number: SMS are not sent to such numbers`);
    const detail = this.gateway.unsupported(message);
    if (detail !== undefined)
      throw new ServiceError('invalid_request', detail, { errors: [{ pointer: '/message', detail }] });
    return country;
  }
}

function updateOf(outcome: SendOutcome): SmsStatusUpdate {
  const common = { deliveredAt: null };
  if (outcome.kind === 'taken') {
    return { ...common, status: outcome.status, errorCode: null, gatewayMessageId: outcome.gatewayMessageId };
  }
  const status = outcome.kind === 'unknown' ? 'unknown' : 'failed';
  return { ...common, status, errorCode: outcome.errorCode, gatewayMessageId: null };
}
