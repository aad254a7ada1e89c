import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  DELIVERY_STATES,
  type DeliveryState,
  DISABLED_REASONS,
  type DisabledReason,
  type EndpointView,
  EVENT_TYPES,
  type EventType,
  WEBHOOK_DESCRIPTION_MAX,
  type WebhookDelivery,
} from '@domains/events';
import {
  FieldRule,
  InboxPageDto,
  InboxQueryDto,
  IsFlag,
  IsId,
  IsOneOf,
  IsText,
  IsTime,
  IsTrueOrFalse,
  MayBeLeftOut,
  SortBy,
} from '@platform/http';
import { timeText } from '@platform/time';
import { URL_MAX } from '@platform/upstream';
import { type Scope, SCOPES } from '@platform/tokens';
import type { OfCustomer } from '../customers/customer-names.service';
import { type Fields, OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';
import { AreScopes } from '../tokens/token.dto';

const TYPES: readonly string[] = EVENT_TYPES;
const SCOPE_NAMES = Object.keys(SCOPES);

/** Types of events, each once. */
function AreEventTypes(): PropertyDecorator {
  return FieldRule((value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string' && TYPES.includes(one)) &&
    new Set(value).size === value.length
      ? undefined
      : `must be a list of different types, of ${TYPES.join(', ')}`,
  );
}

const TYPE_LIST = { type: 'array', items: { type: 'string', enum: EVENT_TYPES }, maxItems: 50 } as const;

/** Filters of the list of endpoints. */
export class WebhookEndpointQueryDto extends InboxQueryDto {
  /** Only endpoints of this customer. */
  @IsId()
  customer_id?: string;

  /** Only the operator's own endpoints, which get the events of all customers. */
  @IsFlag()
  own?: boolean;

  @SortBy(['created_at'], '-created_at')
  sort?: string;
}

/** Filters of the list of deliveries. */
export class WebhookDeliveryQueryDto extends InboxQueryDto {
  /** Only deliveries to endpoints of this customer. */
  @IsId()
  customer_id?: string;

  /** Only deliveries to this endpoint. */
  @IsId()
  endpoint_id?: string;

  /** Only deliveries in this state. */
  @ApiProperty({ required: false, enum: DELIVERY_STATES })
  @IsOptional()
  @IsOneOf(DELIVERY_STATES)
  state?: DeliveryState;

  @SortBy(['created_at'], '-created_at')
  sort?: string;
}

/** A new endpoint. */
export class AddWebhookEndpointDto {
  /** The customer; left out, an endpoint of the operator, which gets the events of all customers. */
  @IsId()
  customer_id?: string;

  /**
   * The address that events are sent to.
   * @example 'https://erp.fjordlys.example/hooks'
   */
  @IsText({ min: 1, max: URL_MAX })
  url!: string;

  /** The types of events; all if left out or empty. */
  @MayBeLeftOut()
  @AreEventTypes()
  @ApiProperty({ ...TYPE_LIST, required: false, example: ['ai.credit.low'] })
  event_types?: EventType[];

  @MayBeLeftOut()
  @IsText({ max: WEBHOOK_DESCRIPTION_MAX })
  @ApiProperty({ required: false, example: 'ERP' })
  description?: string;

  /** How much of its records a customer's endpoint gets; all that there are events of if left out. Refused without a customer. */
  @MayBeLeftOut()
  @AreScopes()
  @ApiProperty({ type: 'array', items: { type: 'string', enum: SCOPE_NAMES }, maxItems: 20, required: false })
  scopes?: Scope[];
}

/** A change of an endpoint; fields left out stay as they are. */
export class ChangeWebhookEndpointDto {
  @MayBeLeftOut()
  @IsText({ min: 1, max: URL_MAX })
  @ApiProperty({ required: false })
  url?: string;

  /** The types of events; empty for all. */
  @MayBeLeftOut()
  @AreEventTypes()
  @ApiProperty({ ...TYPE_LIST, required: false })
  event_types?: EventType[];

  /** The empty text for none. */
  @MayBeLeftOut()
  @IsText({ max: WEBHOOK_DESCRIPTION_MAX })
  @ApiProperty({ required: false })
  description?: string;

  /** False: it gets nothing, and its customer cannot enable it; what it misses can be redelivered. */
  @MayBeLeftOut()
  @IsTrueOrFalse()
  @ApiProperty({ required: false, example: false })
  enabled?: boolean;
}

/** Which deliveries of an endpoint are sent again. */
export class RedeliverWebhooksDto {
  /** Those that have failed or were missed since this time, RFC 3339. */
  @ApiProperty({ required: true, example: '2026-11-20T00:00:00Z' })
  @IsTime()
  since!: string;
}

/** A webhook endpoint, without its secret. An endpoint of the operator has the nil UUID as its customer. */
export class WebhookEndpointDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'https://erp.fjordlys.example/hooks' */
  @ApiProperty({ maxLength: URL_MAX })
  url!: string;

  /** The types that it gets; null for all. */
  @ApiProperty({ ...TYPE_LIST, nullable: true, example: null })
  event_types!: EventType[] | null;

  /** At most 255 characters; the command line stored longer ones before it had that limit. */
  @ApiProperty({ type: String, nullable: true, maxLength: 1000, example: 'ERP' })
  description!: string | null;

  /** How much of its records it gets; null for an endpoint of the operator. */
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: SCOPE_NAMES },
    maxItems: 20,
    nullable: true,
    example: null,
  })
  scopes!: Scope[] | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  failing_since!: string | null;

  /**
   * Whether so much waits for it that events were missed.
   * @example false
   */
  queue_full!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  disabled_at!: string | null;

  /** Why it gets nothing; null if it is enabled. */
  @ApiProperty({ type: String, nullable: true, enum: DISABLED_REASONS, example: null })
  disabled_reason!: DisabledReason | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

/** An endpoint with its secret, which is shown once. */
export class NewWebhookEndpointDto extends WebhookEndpointDto {
  /** Shown here alone. Null in the reply to a retry with the same Idempotency-Key. */
  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: 'whsec_…' })
  secret!: string | null;
}

/** A page of endpoints. */
export class WebhookEndpointPageDto extends InboxPageDto {
  @ApiProperty({ type: [WebhookEndpointDto] })
  data!: WebhookEndpointDto[];
}

/** A delivery of an event to an endpoint. */
export class WebhookDeliveryDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  endpoint_id!: string;

  @ApiProperty({ format: 'uuid' })
  event_id!: string;

  @ApiProperty({ maxLength: 100, example: 'ai.credit.low' })
  event_type!: string;

  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  state!: DeliveryState;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  attempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  next_attempt_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_attempt_at!: string | null;

  /** The status that it was last answered with. */
  @ApiProperty({ type: 'integer', format: 'int32', nullable: true, example: 200 })
  last_status!: number | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 5000, example: null })
  last_error!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  delivered_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of deliveries, the newest first. */
export class WebhookDeliveryPageDto extends InboxPageDto {
  @ApiProperty({ type: [WebhookDeliveryDto] })
  data!: WebhookDeliveryDto[];
}

/** Deliveries that are sent again. */
export class RedeliveredDto {
  /** The oldest 10,000 at most. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 12 })
  queued!: number;

  /** Whether others are left: there were more than 10,000, or as much waits for the customer's endpoints as may. */
  @ApiProperty({ type: 'boolean', example: false })
  more!: boolean;
}

/** Maps an endpoint to its DTO. */
export function toWebhookEndpointDto(
  endpoint: OfCustomer<Omit<EndpointView, 'customerId'> & { customerId: string }>,
): Fields<WebhookEndpointDto> {
  const time = (at: Date | null) => at && timeText(at);
  return {
    id: endpoint.id,
    ...toOfCustomerDto(endpoint.customer),
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    description: endpoint.description,
    scopes: endpoint.scopes,
    failing_since: time(endpoint.failingSince),
    queue_full: endpoint.queueFull,
    disabled_at: time(endpoint.disabledAt),
    disabled_reason: endpoint.disabledReason,
    created_at: timeText(endpoint.createdAt),
    updated_at: timeText(endpoint.updatedAt),
  };
}

/** Maps a delivery to its DTO. */
export function toWebhookDeliveryDto(delivery: OfCustomer<WebhookDelivery>): WebhookDeliveryDto {
  const time = (at: Date | null) => at && timeText(at);
  return {
    id: delivery.id,
    ...toOfCustomerDto(delivery.customer),
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: time(delivery.nextAttemptAt),
    last_attempt_at: time(delivery.lastAttemptAt),
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    delivered_at: time(delivery.deliveredAt),
    created_at: timeText(delivery.createdAt),
  };
}
