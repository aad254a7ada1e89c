import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  type AssignedTicket,
  REPLY_AUTHORS,
  type ReplyAuthor,
  TICKET_BODY_MAX,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  TICKET_TITLE_MAX,
  type ListedTicket,
  type TicketPriority,
  type TicketStatus,
  type WrittenReply,
} from '@domains/support';
import {
  InboxPageDto,
  InboxQueryDto,
  IsFlag,
  IsOneOf,
  IsSearch,
  IsText,
  IsTime,
  IsId,
  MayBeLeftOut,
  SortBy,
} from '@platform/http';
import { PERSON_NAME_MAX } from '@platform/people';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { type Fields, OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the inbox of tickets. */
export class TicketQueryDto extends InboxQueryDto {
  /** Only tickets of this customer. */
  @IsId()
  customer_id?: string;

  /** Only tickets with this status. */
  @ApiProperty({ required: false, enum: TICKET_STATUSES })
  @IsOptional()
  @IsOneOf(TICKET_STATUSES)
  status?: TicketStatus;

  /** Only tickets with this priority. */
  @ApiProperty({ required: false, enum: TICKET_PRIORITIES })
  @IsOptional()
  @IsOneOf(TICKET_PRIORITIES)
  priority?: TicketPriority;

  /** Only open tickets in which the customer had the last word. */
  @IsFlag()
  unanswered?: boolean;

  /** Only tickets that are assigned to this person. */
  @IsOptional()
  @IsText({ min: 1, max: PERSON_NAME_MAX })
  @ApiProperty({ required: false, example: 'kari' })
  assigned?: string;

  /** Only tickets that are assigned to nobody. */
  @IsFlag()
  unassigned?: boolean;

  /** Only tickets with this text in their title, body or a reply. */
  @IsSearch()
  search?: string;

  @SortBy(['created_at', 'updated_at', 'priority', 'urgency'], '-created_at')
  sort?: string;
}

/** A reply or a note to add to a thread. */
export class AddReplyDto {
  /**
   * The text.
   * @example 'It works again; please try.'
   */
  @IsText({ min: 1, max: TICKET_BODY_MAX })
  body!: string;

  /** `operator` if left out; `customer` for a reply that the customer gave by telephone or e-mail. */
  @ApiProperty({ required: false, enum: REPLY_AUTHORS })
  @MayBeLeftOut()
  @IsOneOf(REPLY_AUTHORS)
  author?: ReplyAuthor;

  /** The ticket's `updated_at` as you have read it, RFC 3339: refused if the ticket has changed since, such as by a reply. */
  @IsOptional()
  @IsTime()
  seen?: string | null;
}

/** An internal note. */
export class AddNoteDto {
  /**
   * The text, which the customer never sees.
   * @example 'Waits for the provider'
   */
  @IsText({ min: 1, max: TICKET_BODY_MAX })
  body!: string;
}

/** A new status of a ticket. */
export class SetTicketStatusDto {
  @ApiProperty({ enum: TICKET_STATUSES, example: 'resolved' })
  @IsOneOf(TICKET_STATUSES)
  status!: TicketStatus;

  /** The ticket's `updated_at` as you have read it, RFC 3339: refused if the ticket has changed since, such as by a reply. */
  @IsOptional()
  @IsTime()
  seen?: string | null;
}

/** An assignment of a ticket. */
export class AssignTicketDto {
  /** The person; null for nobody, yourself if left out. */
  @IsOptional()
  @IsText({ min: 1, max: PERSON_NAME_MAX })
  @ApiProperty({ type: String, required: false, nullable: true, example: 'kari' })
  to?: string | null;

  /** The person whom it is assigned to now, so that nobody is replaced unseen; null, or left out, for nobody. */
  @IsOptional()
  @IsText({ min: 1, max: PERSON_NAME_MAX })
  @ApiProperty({ type: String, required: false, nullable: true })
  replaces?: string | null;
}

/** The people whom tickets can be assigned to. */
export class AssigneeListDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: PERSON_NAME_MAX },
    maxItems: 10_000,
    example: ['kari'],
  })
  data!: string[];
}

/** A reply in a ticket's thread, or an internal note. */
export class TicketReplyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: REPLY_AUTHORS, example: 'operator' })
  author!: ReplyAuthor;

  /**
   * Whether it is a note that the customer never sees.
   * @example false
   */
  internal!: boolean;

  /** The operator's person who wrote it, which customers never see; null for the customer's own. */
  @ApiProperty({ type: String, nullable: true, maxLength: PERSON_NAME_MAX, example: 'kari' })
  written_by!: string | null;

  /** @example 'It works again; please try.' */
  @ApiProperty({ maxLength: TICKET_BODY_MAX })
  body!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A support ticket. */
export class TicketDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'Cannot log in' */
  @ApiProperty({ maxLength: TICKET_TITLE_MAX })
  title!: string;

  /** @example 'Since this morning the portal answers with an error.' */
  @ApiProperty({ maxLength: TICKET_BODY_MAX })
  body!: string;

  /** `open`: with the operator; `pending`: waits for the customer; `resolved`: solved; `closed`: finished. */
  @ApiProperty({ enum: TICKET_STATUSES, example: 'open' })
  status!: TicketStatus;

  @ApiProperty({ enum: TICKET_PRIORITIES, example: 'normal' })
  priority!: TicketPriority;

  /** The person whom it is assigned to; customers never see whom. */
  @ApiProperty({ type: String, nullable: true, maxLength: PERSON_NAME_MAX, example: 'kari' })
  assignee!: string | null;

  /** The customer's service that it is about. */
  @ApiProperty({ type: 'integer', nullable: true, format: 'int32', example: 12 })
  service_id!: number | null;

  /** Type of another resource that it is about, in the customer's own terms. */
  @ApiProperty({ type: String, nullable: true, maxLength: 255, example: 'order' })
  resource_type!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 255, example: 'A-1047' })
  resource_id!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

/** A ticket in the inbox. */
export class ListedTicketDto extends TicketDto {
  /**
   * Whether it is open and the customer had the last word.
   * @example true
   */
  unanswered!: boolean;
}

/** A ticket with its thread. */
export class TicketThreadDto extends TicketDto {
  /** The thread, oldest first, internal notes included. */
  @ApiProperty({ type: [TicketReplyDto], maxItems: 1000 })
  replies!: TicketReplyDto[];
}

/** A page of tickets. */
export class TicketPageDto extends InboxPageDto {
  @ApiProperty({ type: [ListedTicketDto] })
  data!: ListedTicketDto[];
}

/** Maps a ticket to its DTO. */
export function toTicketDto(ticket: OfCustomer<AssignedTicket>): Fields<TicketDto> {
  return {
    id: ticket.id,
    ...toOfCustomerDto(ticket.customer),
    title: ticket.title,
    body: ticket.body,
    status: ticket.status,
    priority: ticket.priority,
    assignee: ticket.assignee,
    service_id: ticket.serviceId,
    resource_type: ticket.resourceType,
    resource_id: ticket.resourceId,
    created_at: timeText(ticket.createdAt),
    updated_at: timeText(ticket.updatedAt),
  };
}

/** Maps a ticket of the inbox to its DTO. */
export function toListedTicketDto(ticket: OfCustomer<ListedTicket>): ListedTicketDto {
  return { ...toTicketDto(ticket), unanswered: ticket.unanswered };
}

/** Maps a ticket with its thread to its DTO. */
export function toTicketThreadDto(ticket: OfCustomer<AssignedTicket & { replies: WrittenReply[] }>): TicketThreadDto {
  return { ...toTicketDto(ticket), replies: ticket.replies.map(toTicketReplyDto) };
}

/** Maps a reply to its DTO. */
export function toTicketReplyDto({ id, author, internal, writtenBy, body, createdAt }: WrittenReply): TicketReplyDto {
  return { id, author, internal, written_by: writtenBy, body, created_at: timeText(createdAt) };
}
