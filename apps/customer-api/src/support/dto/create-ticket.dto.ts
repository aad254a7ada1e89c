import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional } from 'class-validator';
import { IsText } from '@app/http';
import { TICKET_BODY_MAX, TICKET_PRIORITIES, TICKET_TITLE_MAX, type TicketPriority } from '@app/support';

/** A new ticket (specification §2). */
export class CreateTicketDto {
  /**
   * What it is about, in a line.
   * @example 'Cannot log in'
   */
  @IsText({ min: 1, max: TICKET_TITLE_MAX })
  title!: string;

  /**
   * What happened.
   * @example 'Since this morning the portal answers with an error.'
   */
  @IsText({ min: 1, max: TICKET_BODY_MAX })
  body!: string;

  /** How much it matters. */
  @ApiProperty({ required: false, enum: TICKET_PRIORITIES, default: 'normal', example: 'high' })
  @IsOptional()
  @IsIn(TICKET_PRIORITIES, { message: `priority must be one of ${TICKET_PRIORITIES.join(', ')}` })
  priority?: TicketPriority;

  /** The service it is about, by its number in `GET /services`. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, example: 12 })
  @IsOptional()
  @IsInt({ message: 'service_id must be a whole number' })
  service_id?: number;

  /**
   * What else it is about: a kind of thing in your own terms.
   * @example 'order'
   */
  @IsOptional()
  @IsText({ max: 255 })
  @ApiProperty({ required: false, maxLength: 255 })
  resource_type?: string;

  /**
   * The id of that thing in your own system.
   * @example 'A-1047'
   */
  @IsOptional()
  @IsText({ max: 255 })
  @ApiProperty({ required: false, maxLength: 255 })
  resource_id?: string;
}
