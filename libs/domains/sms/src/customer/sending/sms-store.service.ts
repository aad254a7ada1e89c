import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerDatabaseService, EntityReadsService, type PreparedStatement, prepared } from '@platform/database';
import type { SmsErrorCode } from '../../ports/sms-gateway.port';
import { SmsMessage } from '../../entities/sms-message.entity';
import { SMS, type SmsRow } from '../sms-view';
import { type Created, refusalOf } from './create-refusal';
import { SMS_STATUSES, type SmsEncoding, type SmsStatus } from '../../sms-record';

/** A message that has not been sent yet. */
export interface NewSms {
  /** E.164. */
  to: string;
  /** ISO 3166, if the number tells it. */
  country: string | undefined;
  message: string;
  encoding: SmsEncoding;
  segments: number;
  /** Name of the gateway that will send it. */
  gateway: string;
}

/** A new status of a message, from the reply to its send or from a delivery report. */
export interface SmsStatusUpdate {
  status: SmsStatus;
  gatewayMessageId: string | null;
  errorCode: SmsErrorCode | null;
  /** When the handset received it; null for a delivered message means now. */
  deliveredAt: Date | null;
}

const CREATE = prepared(
  'sms.create',
  `select outcome, id, sender_id, cap, seconds_left, created_at, countries
   from app.create_sms($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

/** Stores a new status of a message. Parameters: customer, id, gateway, and the values of {@link updateValues}. */
export const RECORD_OUTCOME = 'app.record_sms_outcome($1, $2, $3, $4, $5, $6, $7, $8, $9)';

/** Stores messages, always of the customer in context. */
@Injectable()
export class SmsStoreService {
  private readonly recordOutcome: PreparedStatement;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly config: AppConfig,
    reads: EntityReadsService,
  ) {
    const columns = reads.table(SmsMessage, 'm').select(SMS);
    this.recordOutcome = prepared('sms.record-outcome', `select ${columns} from ${RECORD_OUTCOME} m`);
  }

  /**
   * Counts a message and logs it with the status `unknown`, which remains if the process dies.
   * @throws ServiceError sms_disabled; invalid_request for a country that is not allowed; rate_limited if a daily cap
   * is reached
   */
  async create(actor: string, sms: NewSms): Promise<SmsRow> {
    const { to, country, message, encoding, segments, gateway } = sms;
    const { SMS_DAILY_CAP: cap, SMS_DAILY_PARTS_CAP: partsCap, SMS_COUNTRIES: countries } = this.config;
    const values = [
      randomUUID(),
      to,
      message,
      encoding,
      segments,
      gateway,
      cap,
      this.config.BILLING_TIMEZONE,
      actor,
      randomUUID(),
    ];
    const [created] = await this.database.write<Created>(CREATE, [...values, country ?? null, countries, partsCap]);
    if (created?.outcome !== 'created') throw refusalOf(created, segments);
    const { id, sender_id: senderId, created_at: createdAt } = created;
    const known = { id, recipient: to, senderId, message, segments, encoding, createdAt, updatedAt: createdAt };
    return { ...known, status: 'unknown', errorCode: null, deliveredAt: null };
  }

  /**
   * Stores the outcome of sending. A message that was certainly not sent is subtracted from the daily count.
   * Idempotent.
   * @returns the message with its current status
   */
  async conclude(id: string, gateway: string, update: SmsStatusUpdate): Promise<SmsRow | undefined> {
    const zone = this.config.BILLING_TIMEZONE;
    const values = [id, gateway, ...updateValues(update), zone];
    const [row] = await this.database.write<SmsRow>(this.recordOutcome, values, { ends: true });
    return row;
  }
}

/** Parameters of {@link RECORD_OUTCOME} from the fourth to the last but one. */
export function updateValues({ status, errorCode, deliveredAt, gatewayMessageId }: SmsStatusUpdate): unknown[] {
  const overruled = SMS_STATUSES.slice(0, SMS_STATUSES.indexOf(status));
  return [status, overruled, errorCode, deliveredAt, gatewayMessageId];
}
