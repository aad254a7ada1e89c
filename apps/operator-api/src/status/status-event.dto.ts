import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { SERVICE_NAME_MAX, SERVICE_TYPE_MAX } from '@domains/services';
import { STATUS_LEVELS, STATUS_MESSAGE_MAX, type StatusEvent, type StatusLevel } from '@domains/status';
import {
  InboxPageDto,
  InboxQueryDto,
  IsFlag,
  IsOneOf,
  IsText,
  IsTime,
  IsId,
  IsWholeNumber,
  SortBy,
} from '@platform/http';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the list of status events. */
export class StatusEventQueryDto extends InboxQueryDto {
  /** Only events of this customer's services. */
  @IsId()
  customer_id?: string;

  /** Only events that have not ended. */
  @IsFlag()
  present?: boolean;

  @SortBy(['created_at', 'starts_at'], '-created_at')
  sort?: string;
}

/** A new event of a service. */
export class PostStatusEventDto {
  /** The number of the service. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 12 })
  @IsWholeNumber()
  service_id!: number;

  /** The customer that is meant: the service of another one is refused. */
  @IsId()
  customer_id?: string;

  @ApiProperty({ enum: STATUS_LEVELS, example: 'outage' })
  @IsOneOf(STATUS_LEVELS)
  status!: StatusLevel;

  /**
   * Description of the event, which the customer reads.
   * @example 'The server does not answer'
   */
  @IsText({ min: 1, max: STATUS_MESSAGE_MAX })
  message!: string;

  /** When it begins, RFC 3339; now if left out. */
  @IsOptional()
  @IsTime()
  starts_at?: string | null;
}

/** A new event of all services of a type. */
export class PostAnnouncementDto {
  /**
   * Type of the services, of all customers; small and capital letters alike.
   * @example 'sms'
   */
  @IsText({ min: 1, max: SERVICE_TYPE_MAX })
  type!: string;

  @ApiProperty({ enum: STATUS_LEVELS, example: 'maintenance' })
  @IsOneOf(STATUS_LEVELS)
  status!: StatusLevel;

  /**
   * Description of the event, which all these customers read.
   * @example 'New gateway'
   */
  @IsText({ min: 1, max: STATUS_MESSAGE_MAX })
  message!: string;

  /** When it begins, RFC 3339; now if left out. */
  @IsOptional()
  @IsTime()
  starts_at?: string | null;
}

/** An event of a service. */
export class StatusEventDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 12 })
  service_id!: number;

  /** @example 'Web hosting' */
  @ApiProperty({ maxLength: SERVICE_NAME_MAX })
  service_name!: string;

  @ApiProperty({ enum: STATUS_LEVELS, example: 'outage' })
  status!: StatusLevel;

  /** @example 'The server does not answer' */
  @ApiProperty({ maxLength: 5000 })
  message!: string;

  @ApiProperty({ format: 'date-time' })
  starts_at!: string;

  /** When it ends or ended; null if that is not known. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  ends_at!: string | null;

  /** The announcement that it is part of. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  announcement_id!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of events. */
export class StatusEventPageDto extends InboxPageDto {
  @ApiProperty({ type: [StatusEventDto] })
  data!: StatusEventDto[];
}

/** An announcement. */
export class AnnouncementDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The number of services that it concerns. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 240 })
  services!: number;

  /** The number of customers whose services they are. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 200 })
  customers!: number;
}

/** An event with the name of its service. */
export type NamedStatusEvent = OfCustomer<StatusEvent> & { serviceName: string };

/** Maps an event to its DTO. */
export function toStatusEventDto(event: NamedStatusEvent): StatusEventDto {
  return {
    id: event.id,
    ...toOfCustomerDto(event.customer),
    service_id: event.serviceId,
    service_name: event.serviceName,
    status: event.status,
    message: event.message,
    starts_at: timeText(event.startsAt),
    ends_at: event.endsAt && timeText(event.endsAt),
    announcement_id: event.announcementId,
    created_at: timeText(event.createdAt),
  };
}
