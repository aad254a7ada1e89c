import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ServicesOperatorService } from '@domains/services';
import { AnnouncementsOperatorService, type StatusEvent, StatusEventsOperatorService } from '@domains/status';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest, WithoutBody } from '@platform/http';
import { Actor, AnyRole, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  AnnouncementDto,
  PostAnnouncementDto,
  PostStatusEventDto,
  StatusEventDto,
  StatusEventPageDto,
  StatusEventQueryDto,
  toStatusEventDto,
} from './status-event.dto';

const EVENT_ID = { name: 'id', description: 'The event.', schema: { type: 'string', format: 'uuid' } } as const;
const ANNOUNCEMENT_ID = {
  name: 'id',
  description: 'The announcement.',
  schema: { type: 'string', format: 'uuid' },
} as const;

@ApiTags('Status')
@Controller()
export class StatusEventsController {
  constructor(
    private readonly events: StatusEventsOperatorService,
    private readonly announcements: AnnouncementsOperatorService,
    private readonly customers: CustomerNamesService,
    private readonly services: ServicesOperatorService,
  ) {}

  @Get('status-events')
  @AnyRole()
  @ApiOperation({ summary: 'List status events', description: 'Of the services of one customer or of all.' })
  @ApiOkResponse({ type: StatusEventPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listStatusEvents(@Query() query: StatusEventQueryDto): Promise<StatusEventPageDto> {
    const { customer_id: customerId, present } = query;
    const page = await this.events.inbox({ customerId, present }, toInboxRequest(query));
    const names = await this.services.namesOf([...new Set(page.items.map(({ serviceId }) => serviceId))]);
    return toInboxPageDto(await this.customers.addTo(page), (event) =>
      toStatusEventDto(Object.assign(event, { serviceName: names.get(event.serviceId) ?? '' })),
    );
  }

  @Post('status-events')
  @RequireRole('support')
  @ApiOperation({ summary: 'Announce an event of a service', description: 'Its customer reads it.' })
  @ApiCreatedResponse({ type: StatusEventDto, description: 'The event.' })
  @ProblemReplies('invalid_request', 'cross_site_request', ['not_found', 'There is no service 12'])
  async postStatusEvent(@Actor() actor: string, @Body() body: PostStatusEventDto): Promise<StatusEventDto> {
    const { service_id: serviceId, customer_id: customerId, status, message, starts_at: begins } = body;
    const startsAt = begins ? new Date(begins) : undefined;
    return this.named(await this.events.post(actor, { serviceId, customerId, status, message, startsAt }));
  }

  @Post('status-events/:id/end')
  @HttpCode(HttpStatus.OK)
  @RequireRole('support')
  @WithoutBody()
  @ApiOperation({ summary: 'End an event', description: 'Now; one that has not begun is cancelled. Takes no body.' })
  @ApiParam(EVENT_ID)
  @ApiOkResponse({ type: StatusEventDto, description: 'The ended event.' })
  @ProblemReplies('invalid_request', 'cross_site_request', [
    'not_found',
    'There is no status event b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f',
  ])
  async endStatusEvent(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<StatusEventDto> {
    return this.named(await this.events.end(actor, id));
  }

  @Post('announcements')
  @RequireRole('support')
  @ApiOperation({
    summary: 'Announce an event of all services of a type',
    description: 'Each service that is not terminated gets an event of its own.',
  })
  @ApiCreatedResponse({ type: AnnouncementDto, description: 'The announcement.' })
  @ProblemReplies('invalid_request', 'cross_site_request', ['not_found', 'There is no service of the type fax'])
  async postAnnouncement(@Actor() actor: string, @Body() body: PostAnnouncementDto): Promise<AnnouncementDto> {
    const { type, status, message, starts_at: begins } = body;
    const startsAt = begins ? new Date(begins) : undefined;
    const { announcementId: id, ...numbers } = await this.announcements.post(actor, {
      type,
      status,
      message,
      startsAt,
    });
    return { id, ...numbers };
  }

  @Post('announcements/:id/end')
  @HttpCode(HttpStatus.OK)
  @RequireRole('support')
  @WithoutBody()
  @ApiOperation({ summary: 'End an announcement', description: 'Ends its events that have not ended. Takes no body.' })
  @ApiParam(ANNOUNCEMENT_ID)
  @ApiOkResponse({ type: AnnouncementDto, description: 'The announcement, with the number of events that it ended.' })
  @ProblemReplies('cross_site_request', [
    'not_found',
    'There is no announcement b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f that has not ended',
  ])
  async endAnnouncement(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<AnnouncementDto> {
    const { services, customers } = await this.announcements.end(actor, id);
    return { id, services, customers };
  }

  private async named(event: StatusEvent): Promise<StatusEventDto> {
    const names = await this.services.namesOf([event.serviceId]);
    const serviceName = names.get(event.serviceId) ?? '';
    return toStatusEventDto(Object.assign(await this.customers.addToOne(event), { serviceName }));
  }
}
