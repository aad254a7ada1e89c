import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CheckAccessAgain, CurrentCustomer, RequireScope } from '@platform/access';
import { AppConfig, customerApiAddress } from '@platform/config';
import { EventsService } from '@domains/events';
import { ClientGone, ProblemReplies } from '@platform/http';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { EventPageDto, EventQueryDto, toEventPageDto, toEventRequest } from './event-query.dto';

@ApiTags('Events')
@Controller('events')
export class EventsController {
  private readonly baseUrl: string;

  constructor(
    private readonly events: EventsService,
    config: AppConfig,
  ) {
    this.baseUrl = customerApiAddress(config);
  }

  @Get()
  @RequireScope('events:read')
  @CheckAccessAgain()
  @ApiOperation({
    summary: 'Read what happened',
    description:
      'Oldest first, for 30 days. Send `next_cursor` with the next request: so you see every event once. With `wait` the reply ' +
      'comes as soon as there is an event. The operator limits how many of your requests may wait at a time: five at each server ' +
      'by default.',
  })
  @ApiOkResponse({ type: EventPageDto, description: 'Events, and where to go on.' })
  @ProblemReplies('invalid_request')
  async listEvents(
    @CurrentCustomer() { scopes }: AuthenticatedCustomer,
    @Query() query: EventQueryDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<EventPageDto> {
    const page = await this.events.list(toEventRequest(query), { ms: query.wait * 1000, gone });
    return toEventPageDto(page, { scopes, baseUrl: this.baseUrl });
  }
}
