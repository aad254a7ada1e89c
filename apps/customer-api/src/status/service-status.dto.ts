import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { STATUS_LEVELS, type StatusLevel } from '@domains/status';
import { IsOneOf, ListQueryDto, PageDto } from '@platform/http';
import { ServiceStatusDto } from '@records/service-status.dto';

/** Filters of the list of services with their status. The range of time is that in which a service was added. */
export class StatusQueryDto extends ListQueryDto {
  /** Only services with this current status. */
  @ApiProperty({ required: false, enum: STATUS_LEVELS })
  @IsOptional()
  @IsOneOf(STATUS_LEVELS)
  status?: StatusLevel;
}

/** A page of your services with their status, newest service first. */
export class ServiceStatusPageDto extends PageDto {
  /** The services. */
  data!: ServiceStatusDto[];
}
