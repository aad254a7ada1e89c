import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EventsOperatorService } from '@domains/events';
import { ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { AnyRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import { EventLogQueryDto, LoggedEventPageDto, toLoggedEventDto } from './event.dto';

@ApiTags('Events')
@Controller('events')
export class EventLogController {
  constructor(
    private readonly events: EventsOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({
    summary: 'List events',
    description: 'What was told to customers and to the operator, the newest first.',
  })
  @ApiOkResponse({ type: LoggedEventPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listEvents(@Query() query: EventLogQueryDto): Promise<LoggedEventPageDto> {
    const page = await this.events.inbox({ customerId: query.customer_id, type: query.type }, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toLoggedEventDto);
  }
}
