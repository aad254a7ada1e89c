import { ApiProperty } from '@nestjs/swagger';
import {
  EVENTS_SHOWN,
  type ServiceStatusRow,
  STATUS_LEVELS,
  type StatusEventRow,
  type StatusLevel,
} from '@domains/status';

/** An event that the operator announced about a service. */
export class StatusEventDto {
  /** The event's id. */
  @ApiProperty({ format: 'uuid', example: 'b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f' })
  id!: string;

  /** Status of the service during the event. */
  @ApiProperty({ enum: STATUS_LEVELS, example: 'degraded' })
  status!: StatusLevel;

  /**
   * Description of the event, by the operator.
   * @example 'Slow replies from the AI provider'
   */
  message!: string;

  /** When the event starts or started. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T08:00:00.000000Z' })
  starts_at!: string;

  /** When the event ends or ended; null if that is not known. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  ends_at!: string | null;

  /**
   * Whether the event is in progress.
   * @example true
   */
  running!: boolean;
}

/** One of your services with its status. */
export class ServiceStatusDto {
  /** The service's number, as in `/services`. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 12 })
  service_id!: number;

  /**
   * Type of the service.
   * @example 'ai'
   */
  service_type!: string;

  /**
   * The service's name.
   * @example 'AI assistant'
   */
  service_name!: string;

  /** Current status: the worst level of the events in progress, or `operational` if there are none. */
  @ApiProperty({ enum: STATUS_LEVELS, example: 'degraded' })
  status!: StatusLevel;

  /** Up to 20 events: those in progress first, then the newest. */
  @ApiProperty({ type: [StatusEventDto], maxItems: EVENTS_SHOWN })
  events!: StatusEventDto[];
}

/** Maps a service's status to its DTO. */
export function toServiceStatusDto({ id, type, name, status, events }: ServiceStatusRow): ServiceStatusDto {
  return { service_id: id, service_type: type, service_name: name, status, events: events.map(toStatusEventDto) };
}

function toStatusEventDto({ id, status, message, startsAt, endsAt, running }: StatusEventRow): StatusEventDto {
  return { id, status, message, starts_at: startsAt, ends_at: endsAt, running };
}
