import { ApiProperty } from '@nestjs/swagger';
import {
  CUSTOMER_EVENT_TYPES,
  DISABLED_REASONS,
  type DisabledReason,
  type EventType,
  WEBHOOK_DESCRIPTION_MAX,
  type WebhookEndpointRow,
} from '@domains/events';

/** An address of yours that gets events. */
export class WebhookEndpointDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The address. */
  @ApiProperty({ format: 'uri', maxLength: 2000, example: 'https://erp.fjordlys.example/hooks' })
  url!: string;

  /** The types of events that it gets; null for all. */
  @ApiProperty({ enum: CUSTOMER_EVENT_TYPES, isArray: true, nullable: true, example: ['credit_request.approved'] })
  event_types!: EventType[] | null;

  /** Your own description. */
  @ApiProperty({ type: String, nullable: true, maxLength: WEBHOOK_DESCRIPTION_MAX, example: 'ERP' })
  description!: string | null;

  /** Since when all attempts have failed; null if the last one succeeded. After five days it is disabled. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  failing_since!: string | null;

  /** Why it gets nothing: you or the operator disabled it, it answered 410 (`gone`), or failed for five days (`failing`). Null if it is in use. */
  @ApiProperty({ type: String, nullable: true, enum: DISABLED_REASONS, example: null })
  disabled_reason!: DisabledReason | null;

  /** When it was disabled. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  disabled_at!: string | null;

  /** When you created it. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;

  /** When it last changed: a field, its secret, or whether it is in use. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  updated_at!: string;
}

/** Maps an endpoint to its DTO. */
export function toWebhookEndpointDto(row: WebhookEndpointRow): WebhookEndpointDto {
  return {
    id: row.id,
    url: row.url,
    event_types: row.eventTypes,
    description: row.description,
    failing_since: row.failingSince,
    disabled_reason: row.disabledReason,
    disabled_at: row.disabledAt,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
