import { ApiProperty } from '@nestjs/swagger';
import {
  REPLY_AUTHORS,
  type ReplyAuthor,
  TICKET_BODY_MAX,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  TICKET_TITLE_MAX,
  type TicketPriority,
  type TicketReplyRow,
  type TicketRow,
  type TicketStatus,
} from '@domains/support';

/** A reply in a ticket's thread. */
export class TicketReplyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** Author of the reply: you, or the operator. */
  @ApiProperty({ enum: REPLY_AUTHORS, example: 'operator' })
  author!: ReplyAuthor;

  /**
   * Text of the reply.
   * @example 'We are looking into it.'
   */
  body!: string;

  /** When the reply was written. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:05:00.000000Z' })
  created_at!: string;
}

/** A support ticket. */
export class TicketDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Subject of the ticket.
   * @example 'Cannot log in'
   */
  @ApiProperty({ maxLength: TICKET_TITLE_MAX })
  title!: string;

  /**
   * Description of the problem.
   * @example 'Since this morning the portal answers with an error.'
   */
  @ApiProperty({ maxLength: TICKET_BODY_MAX })
  body!: string;

  /** `open`: with the operator; `pending`: waits for you; `resolved`: solved; `closed`: finished. */
  @ApiProperty({ enum: TICKET_STATUSES, example: 'open' })
  status!: TicketStatus;

  /** Priority. */
  @ApiProperty({ enum: TICKET_PRIORITIES, example: 'normal' })
  priority!: TicketPriority;

  /** The service that the ticket is about, by its number in `GET /services`. */
  @ApiProperty({ type: 'integer', nullable: true, format: 'int32', example: 12 })
  service_id!: number | null;

  /** Type of another resource that the ticket is about, in your own terms. */
  @ApiProperty({ type: String, nullable: true, maxLength: 255, example: 'order' })
  resource_type!: string | null;

  /** Id of that resource in your own system. */
  @ApiProperty({ type: String, nullable: true, maxLength: 255, example: 'A-1047' })
  resource_id!: string | null;

  /** When the ticket was opened. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T11:58:00.000000Z' })
  created_at!: string;

  /** When the status last changed or the last reply was added. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:05:00.000000Z' })
  updated_at!: string;

  /** The thread, oldest reply first. In a list, a ticket has only its last 10 replies; `reply_count` counts all of them. */
  replies!: TicketReplyDto[];

  /** The number of replies in the whole thread. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  reply_count!: number;
}

/** Maps a ticket to its DTO. */
export function toTicketDto(row: TicketRow): TicketDto {
  return {
    id: row.id,
    title: row.title,
    body: row.body,
    status: row.status,
    priority: row.priority,
    service_id: row.serviceId,
    resource_type: row.resourceType,
    resource_id: row.resourceId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    replies: row.replies.map(toTicketReplyDto),
    reply_count: row.replyCount,
  };
}

/** Maps a reply to its DTO. */
export function toTicketReplyDto({ id, author, body, createdAt }: TicketReplyRow): TicketReplyDto {
  return { id, author, body, created_at: createdAt };
}
