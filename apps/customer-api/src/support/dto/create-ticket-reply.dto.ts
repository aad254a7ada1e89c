import { IsText } from '@platform/http';
import { TICKET_BODY_MAX } from '@domains/support';

/** A reply to the operator. */
export class CreateTicketReplyDto {
  /**
   * Text of the reply.
   * @example 'It works again, thank you.'
   */
  @IsText({ min: 1, max: TICKET_BODY_MAX })
  body!: string;
}
