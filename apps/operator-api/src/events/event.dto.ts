import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { EVENT_TYPES, type EventEntity, type EventType } from '@domains/events';
import { InboxPageDto, InboxQueryDto, IsOneOf, IsId, SortBy } from '@platform/http';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the event log. */
export class EventLogQueryDto extends InboxQueryDto {
  /** Only events of this customer. */
  @IsId()
  customer_id?: string;

  /** Only events of this type. */
  @ApiProperty({ required: false, enum: EVENT_TYPES })
  @IsOptional()
  @IsOneOf(EVENT_TYPES)
  type?: EventType;

  @SortBy(['created_at'], '-created_at')
  sort?: string;
}

/** What was told as an event. Those that concern no customer have the nil UUID. */
export class LoggedEventDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: EVENT_TYPES, example: 'ai.credit.low' })
  type!: EventType;

  /** The id of the record that it is about. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { id: 17 } })
  reference!: Record<string, unknown>;

  /**
   * Whether only the operator is told.
   * @example false
   */
  operator_only!: boolean;

  /** The place in the customer's log; null until it can be read. */
  @ApiProperty({ type: String, nullable: true, maxLength: 20, example: '4711' })
  position!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of the event log, the newest first. */
export class LoggedEventPageDto extends InboxPageDto {
  @ApiProperty({ type: [LoggedEventDto] })
  data!: LoggedEventDto[];
}

/** Maps an event to its DTO. */
export function toLoggedEventDto(event: OfCustomer<EventEntity>): LoggedEventDto {
  return {
    id: event.id,
    ...toOfCustomerDto(event.customer),
    type: event.type,
    reference: event.reference,
    operator_only: event.operatorOnly,
    position: event.position,
    created_at: timeText(event.createdAt),
  };
}
