import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type EndpointView, WebhooksOperatorService } from '@domains/events';
import { NO_CUSTOMER } from '@platform/context';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest, WithholdInRetries, WithoutBody } from '@platform/http';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import { NO_SUCH_CUSTOMER } from '../customers/of-customer.dto';
import {
  AddWebhookEndpointDto,
  ChangeWebhookEndpointDto,
  NewWebhookEndpointDto,
  RedeliveredDto,
  RedeliverWebhooksDto,
  toWebhookDeliveryDto,
  toWebhookEndpointDto,
  WebhookDeliveryDto,
  WebhookDeliveryPageDto,
  WebhookDeliveryQueryDto,
  WebhookEndpointDto,
  WebhookEndpointPageDto,
  WebhookEndpointQueryDto,
} from './webhook.dto';

const ENDPOINT_ID = { name: 'id', description: 'The endpoint.', schema: { type: 'string', format: 'uuid' } } as const;
const DELIVERY_ID = { name: 'id', description: 'The delivery.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_ENDPOINT = ['not_found', 'There is no webhook endpoint with this id'] as const;
const NO_SUCH_DELIVERY = ['not_found', 'There is no webhook delivery with this id'] as const;

/** An endpoint of the operator belongs to no customer. */
const owned = (endpoint: EndpointView) => ({ ...endpoint, customerId: endpoint.customerId ?? NO_CUSTOMER });

@ApiTags('Webhooks')
@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get('webhook-endpoints')
  @AnyRole()
  @ApiOperation({ summary: 'List webhook endpoints', description: "Of one customer, of all, or the operator's own." })
  @ApiOkResponse({ type: WebhookEndpointPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listWebhookEndpoints(@Query() query: WebhookEndpointQueryDto): Promise<WebhookEndpointPageDto> {
    const { customer_id: customerId, own } = query;
    const page = await this.webhooks.inbox({ customerId, own }, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page.map(owned)), toWebhookEndpointDto);
  }

  @Post('webhook-endpoints')
  @RequireRole()
  @FreshLogin()
  @WithholdInRetries('secret')
  @ApiOperation({ summary: 'Add a webhook endpoint', description: 'The reply shows its secret, once.' })
  @ApiCreatedResponse({ type: NewWebhookEndpointDto, description: 'The new endpoint.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER, 'too_many_webhook_endpoints')
  async addWebhookEndpoint(
    @Actor() actor: string,
    @Body() body: AddWebhookEndpointDto,
  ): Promise<NewWebhookEndpointDto> {
    const { customer_id: customerId, url, event_types: eventTypes, description, scopes } = body;
    const added = await this.webhooks.add(actor, { customerId, url, eventTypes, description, scopes });
    return { ...toWebhookEndpointDto(await this.customers.addToOne(owned(added))), secret: added.secret };
  }

  @Get('webhook-endpoints/:id')
  @AnyRole()
  @ApiOperation({ summary: 'Read a webhook endpoint', description: 'Without its secret.' })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({ type: WebhookEndpointDto, description: 'The endpoint.' })
  @ProblemReplies(NO_SUCH_ENDPOINT)
  async getWebhookEndpoint(@Param('id', PathId.uuid) id: string): Promise<WebhookEndpointDto> {
    return toWebhookEndpointDto(await this.customers.addToOne(owned(await this.webhooks.show(id))));
  }

  @Patch('webhook-endpoints/:id')
  @RequireRole()
  @FreshLogin()
  @ApiOperation({
    summary: 'Change a webhook endpoint',
    description: 'Its address, types, description; disables or enables it. Events go to the new address from then on.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({ type: WebhookEndpointDto, description: 'The changed endpoint.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_ENDPOINT)
  async changeWebhookEndpoint(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { url, event_types: eventTypes, description, enabled }: ChangeWebhookEndpointDto,
  ): Promise<WebhookEndpointDto> {
    const changed = await this.webhooks.change(actor, id, { url, eventTypes, description, enabled });
    return toWebhookEndpointDto(await this.customers.addToOne(owned(changed)));
  }

  @Delete('webhook-endpoints/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireRole()
  @ApiOperation({ summary: 'Delete a webhook endpoint', description: 'What waits for it is not sent.' })
  @ApiParam(ENDPOINT_ID)
  @ApiNoContentResponse({ description: 'The endpoint is deleted.' })
  @ProblemReplies('cross_site_request', NO_SUCH_ENDPOINT)
  async removeWebhookEndpoint(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<void> {
    await this.webhooks.remove(actor, id);
  }

  @Post('webhook-endpoints/:id/rotate-secret')
  @RequireRole()
  @FreshLogin()
  @WithoutBody()
  @WithholdInRetries('secret')
  @ApiOperation({
    summary: 'Give a webhook endpoint a new secret',
    description: 'The reply shows it, once. The former one remains valid for 24 hours. Takes no body.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiCreatedResponse({ type: NewWebhookEndpointDto, description: 'The endpoint with its new secret.' })
  @ProblemReplies('cross_site_request', NO_SUCH_ENDPOINT)
  async rotateWebhookSecret(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
  ): Promise<NewWebhookEndpointDto> {
    const rotated = await this.webhooks.rotateSecret(actor, id);
    return { ...toWebhookEndpointDto(await this.customers.addToOne(owned(rotated))), secret: rotated.secret };
  }

  @Post('webhook-endpoints/:id/test')
  @RequireRole('support')
  @WithoutBody()
  @ApiOperation({ summary: 'Send a test event', description: 'To the endpoint. Takes no body.' })
  @ApiParam(ENDPOINT_ID)
  @ApiCreatedResponse({ type: WebhookDeliveryDto, description: 'The delivery, which waits.' })
  @ProblemReplies('cross_site_request', 'webhook_endpoint_disabled', NO_SUCH_ENDPOINT)
  async testWebhookEndpoint(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<WebhookDeliveryDto> {
    return toWebhookDeliveryDto(await this.customers.addToOne(await this.webhooks.test(actor, id)));
  }

  @Post('webhook-endpoints/:id/redeliver')
  @HttpCode(HttpStatus.OK)
  @RequireRole('support')
  @ApiOperation({
    summary: 'Send deliveries again',
    description:
      'All of the endpoint that have failed or were missed since a time, also those that would be tried again later: the oldest 10,000 at most. To be done again while `more` is true.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({
    type: RedeliveredDto,
    description: 'The number of deliveries that wait, and whether others are left.',
  })
  @ProblemReplies('invalid_request', 'cross_site_request', 'webhook_endpoint_disabled', NO_SUCH_ENDPOINT)
  redeliverWebhooks(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { since }: RedeliverWebhooksDto,
  ): Promise<RedeliveredDto> {
    return this.webhooks.redeliverAll(actor, id, new Date(since));
  }

  @Get('webhook-deliveries')
  @AnyRole()
  @ApiOperation({
    summary: 'List webhook deliveries',
    description: 'To endpoints of one customer or of all, the newest first.',
  })
  @ApiOkResponse({ type: WebhookDeliveryPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listWebhookDeliveries(@Query() query: WebhookDeliveryQueryDto): Promise<WebhookDeliveryPageDto> {
    const { customer_id: customerId, endpoint_id: endpointId, state } = query;
    const page = await this.webhooks.deliveriesInbox({ customerId, endpointId, state }, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toWebhookDeliveryDto);
  }

  @Post('webhook-deliveries/:id/redeliver')
  @HttpCode(HttpStatus.OK)
  @RequireRole('support')
  @WithoutBody()
  @ApiOperation({ summary: 'Send a delivery again', description: 'Takes no body.' })
  @ApiParam(DELIVERY_ID)
  @ApiOkResponse({ type: WebhookDeliveryDto, description: 'The delivery, which waits.' })
  @ProblemReplies('cross_site_request', 'webhook_endpoint_disabled', NO_SUCH_DELIVERY)
  async redeliverWebhook(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<WebhookDeliveryDto> {
    return toWebhookDeliveryDto(await this.customers.addToOne(await this.webhooks.redeliver(actor, id)));
  }
}
