import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { type CustomerServiceRow, SERVICE_STATUSES, type ServiceStatus } from '@domains/services';
import { IsOneOf, ListQueryDto, PageDto } from '@platform/http';

/** Filters of the list of services. */
export class ServiceQueryDto extends ListQueryDto {
  /** Only services with this status. */
  @ApiProperty({ required: false, enum: SERVICE_STATUSES })
  @IsOptional()
  @IsOneOf(SERVICE_STATUSES)
  status?: ServiceStatus;
}

/** A service of yours. */
export class ServiceDto {
  /** The service's number; tickets refer to it as `service_id`. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 12 })
  id!: number;

  /**
   * Type of the service.
   * @example 'ai'
   */
  type!: string;

  /**
   * The service's name.
   * @example 'AI assistant'
   */
  name!: string;

  /** Status of the service. Only the operator changes it. */
  @ApiProperty({ enum: SERVICE_STATUSES, example: 'active' })
  status!: ServiceStatus;

  /** Settings of the service, such as the AI credit that each month includes. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { monthly_included_nok: 500 } })
  config!: Record<string, unknown>;

  /** When the service was added. */
  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000000Z' })
  created_at!: string;

  /** When the service last changed. */
  @ApiProperty({ format: 'date-time', example: '2026-03-01T12:00:00.000000Z' })
  updated_at!: string;
}

/** A page of your services, newest first. */
export class ServicePageDto extends PageDto {
  /** The services. */
  data!: ServiceDto[];
}

/** Maps a service to its DTO. */
export function toServiceDto({ id, type, name, status, config, createdAt, updatedAt }: CustomerServiceRow): ServiceDto {
  return { id, type, name, status, config, created_at: createdAt, updated_at: updatedAt };
}
