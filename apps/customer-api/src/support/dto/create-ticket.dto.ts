import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsOneOf, IsText, IsWholeNumber } from '@platform/http';
import { TICKET_BODY_MAX, TICKET_PRIORITIES, TICKET_TITLE_MAX, type TicketPriority } from '@domains/support';

/** A new ticket. */
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

  /** How much it matters; `normal` if left out. */
  @ApiProperty({ required: false, nullable: true, enum: TICKET_PRIORITIES, example: 'high' })
  @IsOptional()
  @IsOneOf(TICKET_PRIORITIES)
  priority?: TicketPriority | null;

  /** The service it is about, by its number in `GET /services`. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 1 })
  @IsOptional()
  @IsWholeNumber()
  service_id?: number | null;

  /**
   * What else it is about: a kind of thing in your own terms.
   * @example 'order'
   */
  @IsOptional()
  @IsText({ max: 255 })
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: 255 })
  resource_type?: string | null;

  /**
   * The id of that thing in your own system.
   * @example 'A-1047'
   */
  @IsOptional()
  @IsText({ max: 255 })
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: 255 })
  resource_id?: string | null;
}
