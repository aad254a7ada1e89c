import { Injectable } from '@nestjs/common';
import { AppConfig, ConfigError } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, decoders, EntityWritesService } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { KeyedCallsService } from '@platform/idempotency';
import { ReportReferencesService } from '../delivery-reports/report-references.service';
import { SmsMessage } from '../entities/sms-message.entity';
import { type SendOutcome, SmsGateway } from '../ports/sms-gateway.port';
import { concludedWithinMs, type SmsEncoding } from '../sms-values';
import { countryFault, isPlausibleRecipient, recipientKind } from '../phone-number';
import { SMS, type SmsRow } from './sms-log.service';
import { SmsOutcomeStoreService, type SmsStatusUpdate } from './sms-outcome-store.service';

/** A message that a customer wants to send. */
export interface SmsOrder {
  /** E.164. */
  to: string;
  /** 1 to 918 Unicode characters. */
  message: string;
}

/** A message that has not been sent yet. */
interface NewSms {
  /** E.164. */
  to: string;
  /** ISO 3166, if the number belongs to a country. */
  country: string | undefined;
  message: string;
  encoding: SmsEncoding;
  segments: number;
  /** Name of the gateway that will send it. */
  gateway: string;
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

/** Sends SMS. Each call sends one message at most, and stores it in the log before it is sent. */
@Injectable()
export class SmsSendingService {
  private readonly createSms;

  constructor(
    private readonly gateway: SmsGateway,
    private readonly database: CustomerDatabaseService,
    private readonly outcomes: SmsOutcomeStoreService,
    private readonly references: ReportReferencesService,
    private readonly context: CustomerContextService,
    private readonly keyedCalls: KeyedCallsService,
    private readonly config: AppConfig,
    writes: EntityWritesService,
  ) {
    const [unknown] = config.SMS_COUNTRIES.flatMap((code) => countryFault(code) ?? []);
    if (unknown !== undefined) throw new ConfigError(`SMS_COUNTRIES: ${unknown}`);
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
  }

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
      () => this.create(actor, sms),
      ({ id }) => ({ id, unknown: outcomeUnknown(id), withinMs: concludedWithinMs(this.config) }),
    );
    const reference = this.references.referenceOf(customerId, row.id);
    const outcome = await this.gateway.send({ ...order, customerId, reference, senderId: row.senderId });
    const result = await this.outcomes.conclude(row, gateway, updateOf(outcome));
    if (outcome.kind !== 'taken' && result.status !== 'delivered' && result.status !== 'sent')
      throw failureOf(outcome, row.id);
    return result;
  }

  /** @returns the recipient's country, if its number belongs to one */
  private check({ to, message }: SmsOrder): string | undefined {
    if (!isPlausibleRecipient(to)) throw refusedField('to', 'to is not a valid telephone number');
    const { country, never } = recipientKind(to);
    if (never !== undefined) throw refusedField('to', `to is a ${never} number: SMS are not sent to such numbers`);
    const detail = this.gateway.unsupported(message);
    if (detail !== undefined) throw refusedField('message', detail);
    return country;
  }

  /**
   * Counts a message and logs it with the status `unknown`, which remains if the process dies.
   * @throws ServiceError sms_disabled; invalid_request for a country that is not allowed, or for more parts than a day may have;
   * rate_limited if a daily cap is reached
   */
  private async create(actor: string, { to, country, ...sms }: NewSms): Promise<SmsRow> {
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
}

function updateOf(outcome: SendOutcome): SmsStatusUpdate {
  const common = { deliveredAt: null };
  if (outcome.kind === 'taken') {
    return { ...common, status: outcome.status, errorCode: null, gatewayMessageId: outcome.gatewayMessageId };
  }
  const status = outcome.kind === 'unknown' ? 'unknown' : 'failed';
  return { ...common, status, errorCode: outcome.errorCode, gatewayMessageId: null };
}

/** The alphabet of GSM-7, and the characters that take an escape character, too (3GPP TS 23.038). */
const GSM7 = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const GSM7_ESCAPED = new Set('\f^{}\\[~]|€');

/**
 * Encoding and number of parts of a text: GSM-7 if every character allows it, else UCS-2. A text that does not fit one
 * SMS is split into parts; each is filled as gateways do, so that only an escaped character or a surrogate pair is kept
 * together, and not a letter with its combining marks.
 */
export function segmentsOf(message: string): { encoding: SmsEncoding; segments: number } {
  const characters = [...message];
  const isGsm7 = characters.every((character) => GSM7.has(character) || GSM7_ESCAPED.has(character));
  const [encoding, single, part] = isGsm7 ? (['GSM-7', 160, 153] as const) : (['UCS-2', 70, 67] as const);
  let [units, segments, used] = [0, 1, 0];
  for (const character of characters) {
    const length = GSM7_ESCAPED.has(character) && isGsm7 ? 2 : character.length;
    units += length;
    if (used + length > part) [segments, used] = [segments + 1, 0];
    used += length;
  }
  return { encoding, segments: units <= single ? 1 : segments };
}

/** The error for a message that may not be sent. */
function refusalOf(created: Created | undefined, segments: number): ServiceError {
  switch (created?.outcome) {
    case 'capped':
      return capReached(created, `The daily cap of ${created.cap} SMS is reached`);
    case 'parts_capped':
      // On no day either. A cap of 0 is a stop, which may end.
      if (created.cap > 0 && segments > created.cap)
        return refusedField('message', `message is sent as ${segments} SMS parts; your daily cap is ${created.cap}`);
      return capReached(
        created,
        `The daily cap is ${created.cap} SMS parts; this message has ${segments}, and fewer are left`,
      );
    case 'country':
      return refusedField(
        'to',
        `to is a number of a country that you may not send SMS to; allowed countries: ${created.countries}`,
      );
    default:
      return new ServiceError('sms_disabled', 'The operator has not enabled SMS for this customer');
  }
}

/** The error for a message that is never sent, because of a field. */
function refusedField(field: keyof SmsOrder, detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: `/${field}`, detail }] });
}

function capReached({ secondsLeft: retryAfterSeconds }: Created, detail: string): ServiceError {
  return new ServiceError('rate_limited', detail, { retryAfterSeconds });
}

const REFUSALS: Partial<Record<string, string>> = {
  invalid_recipient: 'The SMS gateway does not accept the recipient; nothing was sent',
  invalid_content: 'The SMS gateway does not accept the content of the message; nothing was sent',
};

/** `Retry-After` of a message that was not handed to the gateway for the customer's other ones. */
const RETRY_SECONDS = 5;

/** The error for a message that was not accepted. It gives no details of problems that concern the operator. */
function failureOf(outcome: Exclude<SendOutcome, { kind: 'taken' }>, id: string): ServiceError {
  switch (outcome.kind) {
    case 'refused':
      return new ServiceError(
        'sms_gateway_rejected',
        REFUSALS[outcome.errorCode] ?? 'The SMS gateway rejected the message; nothing was sent',
      );
    case 'unreachable':
      if (outcome.shareUsed)
        return new ServiceError(
          'rate_limited',
          'Your SMS wait for each other at the gateway; send fewer at a time. Nothing was sent',
          { retryAfterSeconds: RETRY_SECONDS },
        );
      return new ServiceError(
        'sms_gateway_failed',
        'The SMS gateway is not available; nothing was sent. Try again later',
      );
    case 'unknown':
      return outcomeUnknown(id);
  }
}

/** The error for a message that may have been sent, or not. */
function outcomeUnknown(id: string): ServiceError {
  return new ServiceError(
    'sms_gateway_failed',
    `The SMS gateway did not confirm message ${id}: it may have been sent. Look at the SMS log before you send it again`,
    { effect: 'unknown' },
  );
}
