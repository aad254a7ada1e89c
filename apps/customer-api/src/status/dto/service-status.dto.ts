import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '@platform/http';
import { type ServiceStatusRow, STATUS_LEVELS, type StatusEventRow, type StatusLevel } from '@domains/status';

/** Something the operator announced about a service. */
export class StatusEventDto {
  /** The event's id. */
  @ApiProperty({ format: 'uuid', example: 'b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f' })
  id!: string;

  /** How the service is while the event runs. */
  @ApiProperty({ enum: STATUS_LEVELS, example: 'degraded' })
  status!: StatusLevel;

  /**
   * What happened, in the operator's words.
   * @example 'Slow replies from the AI provider'
   */
  message!: string;

  /** When it began or will begin. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T08:00:00.000000Z' })
  starts_at!: string;

  /** When it ended or will end; null while nobody knows. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  ends_at!: string | null;

  /**
   * Whether it is under way now.
   * @example true
   */
  running!: boolean;
}

/** One of your services, and how it is. */
export class ServiceStatusDto {
  /** The service's number, as in `/services`. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 12 })
  service_id!: number;

  /**
   * The service's kind.
   * @example 'ai'
   */
  service_type!: string;

  /**
   * The service's name.
   * @example 'AI assistant'
   */
  service_name!: string;

  /** How it is now: the worst of the events under way, `operational` when there is none. */
  @ApiProperty({ enum: STATUS_LEVELS, example: 'degraded' })
  status!: StatusLevel;

  /** Events, those under way first, then the newest; 20 at most. */
  @ApiProperty({ type: [StatusEventDto], maxItems: 20 })
  events!: StatusEventDto[];
}

/** A part of your services with their status, newest service first. */
export class ServiceStatusPageDto extends PageDto {
  /** The services. */
  data!: ServiceStatusDto[];
}

/** A service's status as it is sent. */
export function toServiceStatusDto({ id, type, name, status, events }: ServiceStatusRow): ServiceStatusDto {
  return { service_id: id, service_type: type, service_name: name, status, events: events.map(toStatusEventDto) };
}

function toStatusEventDto({ id, status, message, starts_at, ends_at, running }: StatusEventRow): StatusEventDto {
  return { id, status, message, starts_at, ends_at, running };
}
