import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { TICKET_STATUSES, type TicketStatus } from '@domains/support';
import { IsOneOf, ListQueryDto } from '@platform/http';

/** Filters of the list of tickets. */
export class TicketQueryDto extends ListQueryDto {
  /** Only tickets with this status. */
  @ApiProperty({ required: false, enum: TICKET_STATUSES })
  @IsOptional()
  @IsOneOf(TICKET_STATUSES)
  status?: TicketStatus;
}
