import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { STATUS_LEVELS, type StatusLevel } from '@domains/status';
import { IsOneOf, ListQueryDto } from '@platform/http';

/** Filters of the list of services with their status. The range of time is that in which a service was added. */
export class StatusQueryDto extends ListQueryDto {
  /** Only services whose current status is this. */
  @ApiProperty({ required: false, enum: STATUS_LEVELS })
  @IsOptional()
  @IsOneOf(STATUS_LEVELS)
  status?: StatusLevel;
}
