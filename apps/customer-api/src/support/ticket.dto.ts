import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  TICKET_BODY_MAX,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  TICKET_TITLE_MAX,
  type TicketPriority,
  type TicketStatus,
} from '@domains/support';
import { IsOneOf, IsText, IsWholeNumber, ListQueryDto, PageDto } from '@platform/http';
import { TicketDto } from '@records/ticket.dto';

/** Filters of the list of tickets. */
export class TicketQueryDto extends ListQueryDto {
  /** Only tickets with this status. */
  @ApiProperty({ required: false, enum: TICKET_STATUSES })
  @IsOptional()
  @IsOneOf(TICKET_STATUSES)
  status?: TicketStatus;
}

/** A new ticket. */
export class CreateTicketDto {
  /**
   * Subject of the ticket. The operator's lists show it on one line, also if it has several.
   * @example 'Cannot log in'
   */
  @IsText({ min: 1, max: TICKET_TITLE_MAX })
  title!: string;

  /**
   * Description of the problem.
   * @example 'Since this morning the portal answers with an error.'
   */
  @IsText({ min: 1, max: TICKET_BODY_MAX })
  body!: string;

  /** Priority; `normal` if left out. */
  @ApiProperty({ required: false, nullable: true, enum: TICKET_PRIORITIES, example: 'high' })
  @IsOptional()
  @IsOneOf(TICKET_PRIORITIES)
  priority?: TicketPriority | null;

  /** The service that the ticket is about, by its number in `GET /services`. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 1 })
  @IsOptional()
  // Of a number that no service has, the domain says so: 404.
  @IsWholeNumber({ min: -Infinity, max: Infinity })
  service_id?: number | null;

  /**
   * Type of another resource that the ticket is about, in your own terms.
   * @example 'order'
   */
  @IsOptional()
  @IsText({ max: 255 })
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: 255 })
  resource_type?: string | null;

  /**
   * Id of that resource in your own system.
   * @example 'A-1047'
   */
  @IsOptional()
  @IsText({ max: 255 })
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: 255 })
  resource_id?: string | null;
}

/** A reply to the operator. */
export class CreateTicketReplyDto {
  /**
   * Text of the reply.
   * @example 'It works again, thank you.'
   */
  @IsText({ min: 1, max: TICKET_BODY_MAX })
  body!: string;
}

/** A page of your tickets, newest first. */
export class TicketPageDto extends PageDto {
  /** The tickets. */
  data!: TicketDto[];
}
