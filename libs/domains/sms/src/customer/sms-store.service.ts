import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerDatabaseService, type CustomerStatement, decoders, EntityWritesService } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { SmsMessage } from '../entities/sms-message.entity';
import type { SmsErrorCode } from '../ports/sms-gateway.port';
import { SMS_STATUSES, type SmsEncoding, type SmsStatus } from '../sms-record';
import { SMS, type SmsRow } from './sms-log.service';

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

/** The database's answer to a new message. */
interface Created {
  outcome: 'created' | 'disabled' | 'country' | 'capped' | 'parts_capped';
  /** The cap that is reached, and the seconds until the next day. */
  cap: number;
  secondsLeft: number;
  /** The countries that may be sent to. */
  countries: string;
}

/** Stores messages, always of the customer in context. */
@Injectable()
export class SmsStoreService {
  private readonly createSms;
  private readonly recordOutcome;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly config: AppConfig,
    writes: EntityWritesService,
  ) {
    this.createSms = writes.call({
      name: 'sms.create',
      calls: 'app.create_sms',
      parameters: {
        recipient: 'text',
        country: 'text',
        message: 'text',
        encoding: 'text',
        segments: 'integer',
        gateway: 'text',
        defaultCap: 'integer',
        defaultPartsCap: 'integer',
        defaultCountries: 'text[]',
        zone: 'text',
        actor: 'text',
      },
      returns: {
        outcome: decoders.text as (text: string) => Created['outcome'],
        cap: decoders.number,
        secondsLeft: decoders.number,
        countries: decoders.text,
      },
      row: { entity: SmsMessage, column: 'sms', select: SMS },
    });
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
  }

  /**
   * Counts a message and logs it with the status `unknown`, which remains if the process dies.
   * @throws ServiceError sms_disabled; invalid_request for a country that is not allowed; rate_limited if a daily cap
   * is reached
   */
  async create(actor: string, { to, country, ...sms }: NewSms): Promise<SmsRow> {
    const { SMS_DAILY_CAP, SMS_DAILY_PARTS_CAP, SMS_COUNTRIES, BILLING_TIMEZONE } = this.config;
    const create = this.createSms({
      ...sms,
      recipient: to,
      country: country ?? null,
      defaultCap: SMS_DAILY_CAP,
      defaultPartsCap: SMS_DAILY_PARTS_CAP,
      defaultCountries: SMS_COUNTRIES,
      zone: BILLING_TIMEZONE,
      actor,
    });
    const [[created]] = await this.database.write([create]);
    if (created?.outcome !== 'created') throw refusalOf(created, sms.segments);
    return created;
  }

  /**
   * Stores the outcome of sending. A message that was certainly not sent is subtracted from the daily count.
   * Idempotent.
   * @returns the message with its current status
   */
  async conclude(id: string, gateway: string, update: SmsStatusUpdate): Promise<SmsRow | undefined> {
    const outcome = this.outcome(id, gateway, update, this.config.BILLING_TIMEZONE);
    const [[row]] = await this.database.write([outcome], { ends: true });
    return row;
  }

  /**
   * The statement that stores a new status of a message. @param zone the billing time zone: with it, a message that was not sent
   * is subtracted from its day's count
   */
  outcome(id: string, gateway: string, update: SmsStatusUpdate, zone: string | null): CustomerStatement<SmsRow> {
    const overruled = SMS_STATUSES.slice(0, SMS_STATUSES.indexOf(update.status));
    return this.recordOutcome({ ...update, id, gateway, overruled, zone });
  }
}

/** The error for a message that may not be sent. */
function refusalOf(created: Created | undefined, segments: number): ServiceError {
  switch (created?.outcome) {
    case 'capped':
      return capReached(created, `The daily cap of ${created.cap} SMS is reached`);
    case 'parts_capped':
      return capReached(
        created,
        `The daily cap of ${created.cap} SMS parts leaves no room for this message of ${segments}`,
      );
    case 'country':
      return refusedRecipient(
        `to is a number of a country that you may not send SMS to; you may to ${created.countries}`,
      );
    default:
      return new ServiceError('sms_disabled', 'The operator has not enabled SMS for this customer');
  }
}

/** The error for a recipient that may not be sent to. */
export function refusedRecipient(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/to', detail }] });
}

function capReached({ secondsLeft: retryAfterSeconds }: Created, detail: string): ServiceError {
  return new ServiceError('rate_limited', detail, { retryAfterSeconds });
}
