import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { WebhookDeliveriesService, WebhookEndpointsService } from '@domains/events';
import { CurrentCustomer, RequireScope } from '@platform/access';
import { PathId, ProblemReplies, toPageDto, toPageRequest, Uncompressed, WithoutBody } from '@platform/http';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { toWebhookEndpointDto, WebhookEndpointDto } from '@records/webhook-endpoint.dto';
import {
  ChangeWebhookEndpointDto,
  CreateWebhookEndpointDto,
  RedeliverDto,
  RedeliveredDto,
  toEndpointChange,
  toEndpointWithSecretDto,
  toNewEndpoint,
  toWebhookDeliveryDto,
  WebhookDeliveryDto,
  WebhookEndpointPageDto,
  WebhookEndpointQueryDto,
  WebhookEndpointWithSecretDto,
} from './webhook.dto';

/** An endpoint that the path names. */
const ENDPOINT_ID = { name: 'id', description: 'The endpoint.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_ENDPOINT = ['not_found', 'You have no webhook endpoint with this id'] as const;

@ApiTags('Webhooks')
@Controller('webhooks/endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get()
  @RequireScope('webhooks:manage')
  @ApiOperation({ summary: 'List your webhook endpoints', description: 'Newest first, without their secrets.' })
  @ApiOkResponse({ type: WebhookEndpointPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listWebhookEndpoints(@Query() query: WebhookEndpointQueryDto): Promise<WebhookEndpointPageDto> {
    return toPageDto(await this.endpoints.list(toPageRequest(query)), toWebhookEndpointDto);
  }

  @Post()
  @RequireScope('webhooks:manage')
  @Uncompressed()
  @ApiOperation({
    summary: 'Create a webhook endpoint',
    description:
      'Events are sent there from now on, signed after Standard Webhooks with the secret in the reply, which is not shown ' +
      'again. The endpoint keeps the scopes of your token: it gets of each event what `GET /events` shows to this token.',
  })
  @ApiCreatedResponse({ type: WebhookEndpointWithSecretDto, description: 'The endpoint, with its secret.' })
  @ProblemReplies('invalid_request', 'too_many_webhook_endpoints')
  async createWebhookEndpoint(
    @CurrentCustomer() token: AuthenticatedCustomer,
    @Body() endpoint: CreateWebhookEndpointDto,
  ): Promise<WebhookEndpointWithSecretDto> {
    return toEndpointWithSecretDto(await this.endpoints.create(token, toNewEndpoint(endpoint)));
  }

  @Get(':id')
  @RequireScope('webhooks:manage')
  @ApiOperation({ summary: 'Read one of your webhook endpoints', description: 'Without its secret.' })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({ type: WebhookEndpointDto, description: 'The endpoint.' })
  @ProblemReplies(NO_SUCH_ENDPOINT)
  async getWebhookEndpoint(@Param('id', PathId.uuid) id: string): Promise<WebhookEndpointDto> {
    return toWebhookEndpointDto(await this.endpoints.find(id));
  }

  @Patch(':id')
  @RequireScope('webhooks:manage')
  @ApiOperation({
    summary: 'Change a webhook endpoint',
    description:
      'Enables a disabled endpoint, too. What waits for an endpoint that you disable is not sent: redeliver it later.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({ type: WebhookEndpointDto, description: 'The changed endpoint.' })
  @ProblemReplies('invalid_request', NO_SUCH_ENDPOINT, 'webhook_endpoint_disabled')
  async changeWebhookEndpoint(
    @CurrentCustomer() token: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
    @Body() change: ChangeWebhookEndpointDto,
  ): Promise<WebhookEndpointDto> {
    return toWebhookEndpointDto(await this.endpoints.change(token, id, toEndpointChange(change)));
  }

  @Delete(':id')
  @RequireScope('webhooks:manage')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Delete a webhook endpoint', description: 'What waits for it is not sent.' })
  @ApiParam(ENDPOINT_ID)
  @ApiNoContentResponse({ description: 'It is deleted.' })
  @ProblemReplies(NO_SUCH_ENDPOINT)
  async deleteWebhookEndpoint(
    @CurrentCustomer() token: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
  ): Promise<void> {
    await this.endpoints.delete(token, id);
  }

  @Post(':id/rotate-secret')
  @RequireScope('webhooks:manage')
  @HttpCode(HttpStatus.OK)
  @WithoutBody()
  @Uncompressed()
  @ApiOperation({
    summary: 'Rotate the secret of a webhook endpoint',
    description: 'Takes no body. For 24 hours deliveries have a signature with the former secret as well.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({ type: WebhookEndpointWithSecretDto, description: 'The endpoint, with its new secret.' })
  @ProblemReplies(NO_SUCH_ENDPOINT)
  async rotateWebhookSecret(
    @CurrentCustomer() token: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
  ): Promise<WebhookEndpointWithSecretDto> {
    return toEndpointWithSecretDto(await this.endpoints.rotateSecret(token, id));
  }

  @Post(':id/test')
  @RequireScope('webhooks:manage')
  @WithoutBody()
  @ApiOperation({
    summary: 'Test a webhook endpoint',
    description:
      'Takes no body. Sends an event of the type `webhook.test`, which is in no log. Read the result with `GET /webhooks/deliveries`.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiCreatedResponse({ type: WebhookDeliveryDto, description: 'The delivery, which is sent within seconds.' })
  @ProblemReplies(NO_SUCH_ENDPOINT, 'webhook_endpoint_disabled')
  async testWebhookEndpoint(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
  ): Promise<WebhookDeliveryDto> {
    return toWebhookDeliveryDto(await this.deliveries.test(tokenId, id));
  }

  @Post(':id/redeliver')
  @RequireScope('webhooks:manage')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Redeliver events to a webhook endpoint',
    description:
      'Sends again all deliveries that have failed or were missed since a time, also those that would be tried again later: the oldest 10,000 at most. Do it again while `more` is true.',
  })
  @ApiParam(ENDPOINT_ID)
  @ApiOkResponse({ type: RedeliveredDto, description: 'The number of deliveries, and whether others are left.' })
  @ProblemReplies('invalid_request', NO_SUCH_ENDPOINT, 'webhook_endpoint_disabled')
  async redeliverWebhooks(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
    @Body() { since }: RedeliverDto,
  ): Promise<RedeliveredDto> {
    return { endpoint_id: id, ...(await this.deliveries.redeliverAll(tokenId, id, new Date(since))) };
  }
}
