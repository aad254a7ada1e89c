import { ApiProperty } from '@nestjs/swagger';
import type { CreditRequestRow } from '@domains/credit-requests';
import { CUSTOMER_EVENT_TYPES, type EventRow, type EventType, scopeOf, type WebhookEndpointRow } from '@domains/events';
import type { InvoiceRow } from '@domains/invoices';
import type { SmsRow } from '@domains/sms';
import type { ServiceStatusRow } from '@domains/status';
import type { TicketRow } from '@domains/support';
import type { Scope } from '@platform/tokens';
import { AiCreditDto, type AiCreditRecord, toAiCreditDto } from './ai-status.dto';
import { CreditRequestDto, toCreditRequestDto } from './credit-request.dto';
import { ExpiringTokenDto, type ExpiringTokenRecord, toExpiringTokenDto } from './expiring-token.dto';
import { InvoiceDto, toInvoiceDto } from './invoice.dto';
import { ServiceStatusDto, toServiceStatusDto } from './service-status.dto';
import { SmsDto, toSmsDto } from './sms.dto';
import { TicketDto, toTicketDto } from './ticket.dto';
import { toWebhookEndpointDto, WebhookEndpointDto } from './webhook-endpoint.dto';

/** Bytes of an event's data in JSON above which only the record's id is told. */
const DATA_BYTES = 20_000;

/** Something that happened. */
export class EventDto {
  /** The event's id: the same wherever and however often you receive it. */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** What happened. */
  @ApiProperty({ enum: CUSTOMER_EVENT_TYPES, example: 'credit_request.approved' })
  type!: EventType;

  /** When it happened. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;

  /**
   * The record as its own operation showed it then. Only its id, if the token (of a webhook: that which made the endpoint) lacks
   * the scope of that operation, or the record has more than 20 kB, or it is an invoice that turned out not to be the customer's.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { id: 17, status: 'approved' } })
  data!: object;
}

/** For whom an event is shown. */
export interface EventView {
  /** The reader's scopes; null for the operator, who sees everything. */
  scopes: ReadonlySet<Scope> | null;
  /** The address under which customers reach the API, such as `https://api.example.no/api/v1`. */
  baseUrl: string;
}

/** How the records of a type are shown: by the DTOs of their own operations. */
interface ShownRecord {
  dto: new () => object;
  show: (record: never, baseUrl: string) => object;
}

const CREDIT_REQUEST: ShownRecord = {
  dto: CreditRequestDto,
  show: (record: CreditRequestRow) => toCreditRequestDto(record),
};
const AI_CREDIT: ShownRecord = { dto: AiCreditDto, show: (record: AiCreditRecord) => toAiCreditDto(record) };
const INVOICE: ShownRecord = { dto: InvoiceDto, show: (record: InvoiceRow, baseUrl) => toInvoiceDto(record, baseUrl) };
const TICKET: ShownRecord = { dto: TicketDto, show: (record: TicketRow) => toTicketDto(record) };
const SMS: ShownRecord = { dto: SmsDto, show: (record: SmsRow) => toSmsDto(record) };

/** By type of event. */
export const EVENT_RECORDS = {
  'credit_request.approved': CREDIT_REQUEST,
  'credit_request.rejected': CREDIT_REQUEST,
  'credit_request.created': CREDIT_REQUEST,
  'ai.credit.low': AI_CREDIT,
  'ai.credit.exhausted': AI_CREDIT,
  'ai.credit.renewed': AI_CREDIT,
  'invoice.created': INVOICE,
  'invoice.updated': INVOICE,
  'ticket.replied': TICKET,
  'ticket.status_changed': TICKET,
  'ticket.created': TICKET,
  'sms.delivered': SMS,
  'sms.failed': SMS,
  'sms.unknown': SMS,
  'service.status_changed': {
    dto: ServiceStatusDto,
    show: (record: ServiceStatusRow) => toServiceStatusDto(record),
  },
  'token.expiring': { dto: ExpiringTokenDto, show: (record: ExpiringTokenRecord) => toExpiringTokenDto(record) },
  'webhook.endpoint_disabled': {
    dto: WebhookEndpointDto,
    show: (record: WebhookEndpointRow) => toWebhookEndpointDto(record),
  },
  'invoice.sync_failed': { dto: Object, show: (record: object) => record },
  'ai.upstream_down': { dto: Object, show: (record: object) => record },
} as const satisfies Record<EventType, ShownRecord>;

/** Maps an event to its DTO. The stored record has the form of its domain's rows; the same functions map it as in the API's own replies. */
export function toEventDto(
  { id, type, reference, record, createdAt }: Omit<EventRow, 'type' | 'position'> & { type: EventType },
  { scopes, baseUrl }: EventView,
): EventDto {
  // A later release, which was gone back from, may have written types that this one does not know.
  const how: ShownRecord | undefined = Object.hasOwn(EVENT_RECORDS, type) ? EVENT_RECORDS[type] : undefined;
  const scope = how && scopeOf(type);
  const allowed = how !== undefined && (!scope || scopes === null || scopes.has(scope));
  const shown = allowed && record !== null ? how.show(record as never, baseUrl) : reference;
  const data = Buffer.byteLength(JSON.stringify(shown)) <= DATA_BYTES ? shown : reference;
  return { id, type, created_at: createdAt, data };
}
