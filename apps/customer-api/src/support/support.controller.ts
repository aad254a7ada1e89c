import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RequireScope } from '@platform/access';
import { PathId, ProblemReplies, ReplyForm, toPageDto, toPageRequest, WithoutBody } from '@platform/http';
import {
  LISTED_REPLIES,
  TICKET_REPLIES_MAX,
  type TicketReplyRow,
  type TicketRow,
  TicketsService,
} from '@domains/support';
import { TicketDto, TicketReplyDto, toTicketDto, toTicketReplyDto } from '@records/ticket.dto';
import { CreateTicketDto, CreateTicketReplyDto, TicketPageDto, TicketQueryDto } from './ticket.dto';

/** A ticket that the path names. */
const TICKET_ID = { name: 'id', description: 'The ticket.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_TICKET = ['not_found', 'You have no ticket with this id'] as const;

@ApiTags('Support')
@Controller('support/tickets')
export class SupportController {
  constructor(private readonly tickets: TicketsService) {}

  @Get()
  @RequireScope('support:read')
  @ApiOperation({
    summary: 'List your support tickets',
    description: `Newest first, each with the last ${LISTED_REPLIES} replies of its thread.`,
  })
  @ApiOkResponse({ type: TicketPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listTickets(@Query() query: TicketQueryDto): Promise<TicketPageDto> {
    return toPageDto(await this.tickets.list(toPageRequest(query), query.status), toTicketDto);
  }

  @Post()
  @RequireScope('support:write')
  @ApiOperation({ summary: 'Open a support ticket', description: 'The operator replies in the thread of the ticket.' })
  @ApiCreatedResponse({ type: TicketDto, description: 'The new ticket.' })
  @ProblemReplies('invalid_request', ['not_found', 'You have no service with this service_id'])
  async createTicket(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Body() ticket: CreateTicketDto,
  ): Promise<TicketDto> {
    return toTicketDto(await this.tickets.open(`token:${tokenId}`, ticket));
  }

  @Get(':id')
  @RequireScope('support:read')
  @ApiOperation({ summary: 'Read one of your support tickets', description: 'Includes its whole thread.' })
  @ApiParam(TICKET_ID)
  @ApiOkResponse({ type: TicketDto, description: 'The ticket.' })
  @ProblemReplies(NO_SUCH_TICKET)
  async getTicket(@Param('id', PathId.uuid) id: string): Promise<TicketDto | StreamableFile> {
    return this.whole(await this.tickets.find(id));
  }

  @Post(':id/replies')
  @RequireScope('support:write')
  @ApiOperation({
    summary: 'Reply in a support ticket',
    description:
      'The ticket becomes `open`, also if it was `resolved`. A closed ticket, or a ticket with ' +
      `${TICKET_REPLIES_MAX} replies, accepts no more replies: open a new ticket.`,
  })
  @ApiParam(TICKET_ID)
  @ApiCreatedResponse({ type: TicketReplyDto, description: 'The reply.' })
  @ProblemReplies('invalid_request', NO_SUCH_TICKET, 'ticket_closed', 'ticket_full')
  async createTicketReply(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
    @Body() { body }: CreateTicketReplyDto,
  ): Promise<TicketReplyDto> {
    return toTicketReplyDto(await this.tickets.reply(`token:${tokenId}`, id, body));
  }

  @Post(':id/close')
  @HttpCode(HttpStatus.OK)
  @WithoutBody()
  @RequireScope('support:write')
  // A reply that is kept for a token that may read the thread is none for another one.
  @ReplyForm(({ customer }) => (customer?.scopes.has('support:read') ? undefined : 'without replies'))
  @ApiOperation({
    summary: 'Close a support ticket',
    description:
      'Takes no body. A closed ticket stays as it is. Only the operator can open it again. The reply has the thread if the token has ' +
      'the scope `support:read`; otherwise `replies` is empty, and `reply_count` counts them all the same.',
  })
  @ApiParam(TICKET_ID)
  @ApiOkResponse({ type: TicketDto, description: 'The closed ticket.' })
  @ProblemReplies(NO_SUCH_TICKET)
  async closeTicket(
    @CurrentCustomer() { tokenId, scopes }: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
  ): Promise<TicketDto | StreamableFile> {
    const ticket = await this.tickets.close(`token:${tokenId}`, id);
    // Closing one, closed or not, would be a way to read its thread.
    return scopes.has('support:read') ? this.whole(ticket) : toTicketDto({ ...ticket, replies: [] });
  }

  /** A ticket with its whole thread; a long one is read while it is sent. */
  private whole(ticket: TicketRow): TicketDto | StreamableFile {
    const { replies, replyCount } = ticket;
    if (replies.length === replyCount) return toTicketDto(ticket);
    const pieces = ticketPieces(toTicketDto(ticket), this.tickets.laterReplies(ticket));
    return new StreamableFile(Readable.from(pieces, { objectMode: false }), {
      type: 'application/json; charset=utf-8',
    });
  }
}

/** The JSON of a ticket in pieces, the replies that it has first. */
async function* ticketPieces(
  { replies, reply_count: _, ...ticket }: TicketDto,
  later: AsyncGenerator<TicketReplyRow[]>,
): AsyncGenerator<string> {
  let count = replies.length;
  yield `${JSON.stringify(ticket).slice(0, -1)},"replies":[${replies.map((reply) => JSON.stringify(reply)).join()}`;
  for await (const rows of later) {
    count += rows.length;
    yield rows.map((row) => `,${JSON.stringify(toTicketReplyDto(row))}`).join('');
  }
  yield `],"reply_count":${count}}`;
}
