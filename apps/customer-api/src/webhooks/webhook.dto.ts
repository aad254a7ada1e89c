import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateIf } from 'class-validator';
import {
  CUSTOMER_EVENT_TYPES,
  type CustomerEventType,
  type DeliveredType,
  DELIVERY_STATES,
  type DeliveryState,
  type EndpointChange,
  type NewEndpoint,
  TEST_TYPE,
  unknownTypeFault,
  WEBHOOK_DESCRIPTION_MAX,
  type WebhookDeliveryRow,
  type WebhookEndpointRow,
} from '@domains/events';
import { FieldRule, IsOneOf, IsText, IsTime, IsUuid, ListQueryDto, PageDto } from '@platform/http';
import { URL_MAX } from '@platform/upstream';
import { toWebhookEndpointDto, WebhookEndpointDto } from '@records/webhook-endpoint.dto';

function typesFault(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return 'must be an array of types of events';
  if (value.length === 0) return 'must have at least one type; null is for all types';
  const most = CUSTOMER_EVENT_TYPES.length;
  if (value.length > most) return `must have at most ${most} types: there are no more`;
  return unknownTypeFault(value);
}

/** A new endpoint. */
export class CreateWebhookEndpointDto {
  /** The address that events are sent to: https, with a host name or address of the internet. */
  @IsText({ min: 1, max: URL_MAX })
  @ApiProperty({ example: 'https://erp.fjordlys.example/hooks' })
  url!: string;

  /** The types of events that it gets; all if left out. */
  @IsOptional()
  @FieldRule(typesFault)
  @ApiProperty({
    required: false,
    nullable: true,
    isArray: true,
    enum: CUSTOMER_EVENT_TYPES,
    minItems: 1,
    maxItems: CUSTOMER_EVENT_TYPES.length,
    example: ['credit_request.approved'],
  })
  event_types?: CustomerEventType[] | null;

  /**
   * Your own description.
   * @example 'ERP'
   */
  @IsOptional()
  @IsText({ max: WEBHOOK_DESCRIPTION_MAX })
  @ApiProperty({ type: String, required: false, nullable: true })
  description?: string | null;
}

/** A change of an endpoint. Fields that are left out stay as they are. */
export class ChangeWebhookEndpointDto {
  /** Another address. The endpoint then keeps only those of its scopes that your token has. */
  @ValidateIf(({ url }: ChangeWebhookEndpointDto) => url !== undefined)
  @IsText({ min: 1, max: URL_MAX })
  @ApiProperty({ required: false, example: 'https://erp.fjordlys.example/events' })
  url?: string;

  /** The types of events that it gets; null for all. */
  @IsOptional()
  @FieldRule(typesFault)
  @ApiProperty({
    required: false,
    nullable: true,
    isArray: true,
    enum: CUSTOMER_EVENT_TYPES,
    minItems: 1,
    maxItems: CUSTOMER_EVENT_TYPES.length,
    example: ['credit_request.approved', 'credit_request.rejected'],
  })
  event_types?: CustomerEventType[] | null;

  /**
   * Your own description.
   * @example 'ERP'
   */
  @IsOptional()
  @IsText({ max: WEBHOOK_DESCRIPTION_MAX })
  @ApiProperty({ type: String, required: false, nullable: true })
  description?: string | null;

  /** Whether it gets events. What is missed meanwhile can be redelivered. */
  @ValidateIf(({ enabled }: ChangeWebhookEndpointDto) => enabled !== undefined)
  @FieldRule((value) => (typeof value === 'boolean' ? undefined : 'must be true or false'))
  @ApiProperty({ required: false, example: true })
  enabled?: boolean;
}

/** An endpoint with its secret. */
export class WebhookEndpointWithSecretDto extends WebhookEndpointDto {
  /** The secret that deliveries are signed with (Standard Webhooks). It is not shown again. */
  @ApiProperty({ maxLength: 100, pattern: '^whsec_', example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' })
  secret!: string;
}

/** A page of your endpoints, newest first. */
export class WebhookEndpointPageDto extends PageDto {
  /** The endpoints. */
  data!: WebhookEndpointDto[];
}

/** Filters of the list of endpoints. */
export class WebhookEndpointQueryDto extends ListQueryDto {}

/** Filters of the list of deliveries. */
export class WebhookDeliveryQueryDto extends ListQueryDto {
  /** Only deliveries to this endpoint. */
  @IsOptional()
  @IsUuid()
  @ApiProperty({ required: false })
  endpoint_id?: string;

  /** Only deliveries in this state. */
  @ApiProperty({ required: false, enum: DELIVERY_STATES })
  @IsOptional()
  @IsOneOf(DELIVERY_STATES)
  state?: DeliveryState;
}

/** Which deliveries are to be sent again. */
export class RedeliverDto {
  /**
   * Those that have failed or were missed since this moment, also if they were created before, RFC 3339. Those of which only an attempt has
   * failed are among them.
   */
  @IsTime()
  @ApiProperty({ required: true, example: '2026-11-20T08:00:00.000000Z' })
  since!: string;
}

/** The number of deliveries that are sent again. */
export class RedeliveredDto {
  /** The endpoint. */
  @ApiProperty({ format: 'uuid' })
  endpoint_id!: string;

  /** Deliveries that were queued: the oldest 10,000 at most. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 12 })
  queued!: number;

  /**
   * Whether deliveries are left that have failed or were missed since then: there were more than 10,000, or as much waits for your
   * endpoints as may. Do it again while this is true.
   */
  @ApiProperty({ type: 'boolean', example: false })
  more!: boolean;
}

/** An event on its way to an endpoint. */
export class WebhookDeliveryDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The endpoint. */
  @ApiProperty({ format: 'uuid' })
  endpoint_id!: string;

  /** The event: the `webhook-id` of the delivery, the same at every attempt. */
  @ApiProperty({ format: 'uuid' })
  event_id!: string;

  /** The event's type; `webhook.test` for a test. */
  @ApiProperty({ enum: [...CUSTOMER_EVENT_TYPES, TEST_TYPE], example: 'credit_request.approved' })
  event_type!: DeliveredType;

  /**
   * `pending`: is to be sent, or sent again; `delivered`: your endpoint answered with 2xx; `failed`: given up after three days;
   * `missed`: not sent, since the endpoint was disabled, you were deactivated, or too much waited.
   */
  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  state!: DeliveryState;

  /** Attempts since it was last queued. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  attempts!: number;

  /** When it is sent next; null if it is not. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  next_attempt_at!: string | null;

  /** When it was last sent. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  last_attempt_at!: string | null;

  /** Status of your endpoint's last reply; null if there was none. */
  @ApiProperty({ type: 'integer', nullable: true, format: 'int32', example: 200 })
  last_status!: number | null;

  /** Why the last attempt has no status that counts, such as `timeout_total`, `tls` or `redirect`. */
  @ApiProperty({ type: String, nullable: true, maxLength: 64, example: null })
  last_error!: string | null;

  /** When your endpoint answered with 2xx. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  delivered_at!: string | null;

  /** When the event became a delivery. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;
}

/** A page of your deliveries, newest first. */
export class WebhookDeliveryPageDto extends PageDto {
  /** The deliveries. */
  data!: WebhookDeliveryDto[];
}

/** The endpoint that a request describes. */
export function toNewEndpoint({ url, event_types, description }: CreateWebhookEndpointDto): NewEndpoint {
  return { url, eventTypes: event_types, description };
}

/** What a test is about. */
export class WebhookTestDataDto {
  /** The endpoint that it is sent to. */
  @ApiProperty({ format: 'uuid' })
  endpoint_id!: string;
}

/** The event that a test sends. */
export class WebhookTestDto {
  /** The same in each attempt. */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: [TEST_TYPE], example: TEST_TYPE })
  type!: typeof TEST_TYPE;

  /** When you asked for it. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;

  data!: WebhookTestDataDto;
}

/** The change that a request describes. */
export function toEndpointChange({ url, event_types, description, enabled }: ChangeWebhookEndpointDto): EndpointChange {
  return { url, eventTypes: event_types, description, enabled };
}

/** Maps an endpoint with its secret to its DTO. */
export function toEndpointWithSecretDto({
  secret,
  ...endpoint
}: WebhookEndpointRow & { secret: string }): WebhookEndpointWithSecretDto {
  return Object.assign(toWebhookEndpointDto(endpoint), { secret });
}

/** Maps a delivery to its DTO. */
export function toWebhookDeliveryDto(row: WebhookDeliveryRow): WebhookDeliveryDto {
  return {
    id: row.id,
    endpoint_id: row.endpointId,
    event_id: row.eventId,
    event_type: row.eventType,
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: row.nextAttemptAt,
    last_attempt_at: row.lastAttemptAt,
    last_status: row.lastStatus,
    last_error: row.lastError,
    delivered_at: row.deliveredAt,
    created_at: row.createdAt,
  };
}
