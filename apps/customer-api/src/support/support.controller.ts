import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RequireScope } from '@platform/access';
import { PageQueryDto, ProblemReplies, toPageDto } from '@platform/http';
import { TicketsService } from '@domains/support';
import { CreateTicketDto } from './dto/create-ticket.dto';
import { TicketDto, TicketPageDto, toTicketDto } from './dto/ticket.dto';

@ApiTags('Support')
@Controller('support/tickets')
export class SupportController {
  constructor(private readonly tickets: TicketsService) {}

  @Get()
  @RequireScope('support:read')
  @ApiOperation({ summary: 'List your support tickets', description: 'Newest first, each with its thread.' })
  @ApiOkResponse({ type: TicketPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listTickets(@Query() page: PageQueryDto): Promise<TicketPageDto> {
    return toPageDto(await this.tickets.list(page), toTicketDto);
  }

  @Post()
  @RequireScope('support:write')
  @ApiOperation({ summary: 'Open a support ticket', description: 'The operator replies in its thread.' })
  @ApiCreatedResponse({ type: TicketDto, description: 'The new ticket.' })
  @ProblemReplies('invalid_request', ['not_found', 'You have no service with this service_id'])
  async createTicket(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Body() ticket: CreateTicketDto,
  ): Promise<TicketDto> {
    return toTicketDto(await this.tickets.open(`token:${tokenId}`, ticket));
  }
}
