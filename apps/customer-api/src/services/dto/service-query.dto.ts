import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { SERVICE_STATUSES, type ServiceStatus } from '@domains/services';
import { IsOneOf, ListQueryDto } from '@platform/http';

/** Filters of the list of services. */
export class ServiceQueryDto extends ListQueryDto {
  /** Only services with this status. */
  @ApiProperty({ required: false, enum: SERVICE_STATUSES })
  @IsOptional()
  @IsOneOf(SERVICE_STATUSES)
  status?: ServiceStatus;
}
