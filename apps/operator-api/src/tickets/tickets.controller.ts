import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { TicketsOperatorService } from '@domains/support';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { type AuthenticatedOperator, OperatorAccountsService } from '@platform/operator-accounts';
import { Actor, AnyRole, CurrentOperator, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  AddNoteDto,
  AddReplyDto,
  AssigneeListDto,
  AssignTicketDto,
  SetTicketStatusDto,
  TicketPageDto,
  TicketQueryDto,
  TicketReplyDto,
  TicketThreadDto,
  toListedTicketDto,
  toTicketReplyDto,
  toTicketThreadDto,
} from './ticket.dto';

const TICKET_ID = { name: 'id', description: 'The ticket.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_TICKET = ['not_found', 'There is no ticket b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

@ApiTags('Tickets')
@Controller('tickets')
export class TicketsController {
  constructor(
    private readonly tickets: TicketsOperatorService,
    private readonly customers: CustomerNamesService,
    private readonly accounts: OperatorAccountsService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List tickets', description: 'Of one customer or of all.' })
  @ApiOkResponse({ type: TicketPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listTickets(@Query() query: TicketQueryDto): Promise<TicketPageDto> {
    const { customer_id: customerId, status, priority, unanswered, assigned, unassigned, search } = query;
    const filter = { customerId, status, priority, unanswered, assigned, unassigned, search };
    const page = await this.tickets.inbox(filter, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toListedTicketDto);
  }

  @Get('assignees')
  @AnyRole()
  @ApiOperation({ summary: 'List the people to assign tickets to', description: 'Who may answer tickets, by name.' })
  @ApiOkResponse({ type: AssigneeListDto, description: 'Their names.' })
  async listAssignees(): Promise<AssigneeListDto> {
    return { data: await this.accounts.namesOfSupport() };
  }

  @Get(':id')
  @AnyRole()
  @ApiOperation({ summary: 'Read a ticket', description: 'With its whole thread, internal notes included.' })
  @ApiParam(TICKET_ID)
  @ApiOkResponse({ type: TicketThreadDto, description: 'The ticket.' })
  @ProblemReplies(NO_SUCH_TICKET)
  async getTicket(@Param('id', PathId.uuid) id: string): Promise<TicketThreadDto> {
    return toTicketThreadDto(await this.customers.addToOne(await this.tickets.show(id)));
  }

  @Post(':id/reply')
  @RequireRole('support')
  @ApiOperation({
    summary: 'Reply in a ticket',
    description: 'The customer reads it. With `seen`, refused if the ticket has changed since.',
  })
  @ApiParam(TICKET_ID)
  @ApiCreatedResponse({ type: TicketReplyDto, description: 'The reply.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_TICKET)
  async replyToTicket(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { body, author = 'operator', seen }: AddReplyDto,
  ): Promise<TicketReplyDto> {
    return toTicketReplyDto(await this.tickets.reply(actor, id, { body, author, internal: false, seen: dateOf(seen) }));
  }

  @Post(':id/note')
  @RequireRole('support')
  @ApiOperation({ summary: 'Add an internal note', description: 'The customer never sees it.' })
  @ApiParam(TICKET_ID)
  @ApiCreatedResponse({ type: TicketReplyDto, description: 'The note.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_TICKET)
  async addTicketNote(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { body }: AddNoteDto,
  ): Promise<TicketReplyDto> {
    return toTicketReplyDto(await this.tickets.reply(actor, id, { body, author: 'operator', internal: true }));
  }

  @Post(':id/set-status')
  @HttpCode(HttpStatus.OK)
  @RequireRole('support')
  @ApiOperation({
    summary: "Set a ticket's status",
    description: 'A closed ticket can be opened again. With `seen`, refused if the ticket has changed since.',
  })
  @ApiParam(TICKET_ID)
  @ApiOkResponse({ type: TicketThreadDto, description: 'The changed ticket.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_TICKET)
  async setTicketStatus(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { status, seen }: SetTicketStatusDto,
  ): Promise<TicketThreadDto> {
    await this.tickets.setStatus(actor, id, status, dateOf(seen));
    return this.getTicket(id);
  }

  @Post(':id/assign')
  @HttpCode(HttpStatus.OK)
  @RequireRole('support')
  @ApiOperation({
    summary: 'Assign a ticket',
    description: 'To a person or to nobody; the customer never sees to whom. Refused if another person has it by now.',
  })
  @ApiParam(TICKET_ID)
  @ApiOkResponse({ type: TicketThreadDto, description: 'The changed ticket.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_TICKET)
  async assignTicket(
    @CurrentOperator() { actor, name }: AuthenticatedOperator,
    @Param('id', PathId.uuid) id: string,
    @Body() { to = name, replaces = null }: AssignTicketDto,
  ): Promise<TicketThreadDto> {
    await this.tickets.assign(actor, id, to, replaces);
    return this.getTicket(id);
  }
}

const dateOf = (time: string | null | undefined) => (typeof time === 'string' ? new Date(time) : undefined);
