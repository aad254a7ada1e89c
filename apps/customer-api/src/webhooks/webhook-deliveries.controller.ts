import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { WebhookDeliveriesService } from '@domains/events';
import { CurrentCustomer, RequireScope } from '@platform/access';
import { PathId, ProblemReplies, toPageDto, toPageRequest, WithoutBody } from '@platform/http';
import type { AuthenticatedCustomer } from '@platform/tokens';
import {
  toWebhookDeliveryDto,
  WebhookDeliveryDto,
  WebhookDeliveryPageDto,
  WebhookDeliveryQueryDto,
} from './webhook.dto';

@ApiTags('Webhooks')
@Controller('webhooks/deliveries')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get()
  @RequireScope('webhooks:manage')
  @ApiOperation({
    summary: 'List the deliveries to your webhook endpoints',
    description: 'Newest first. They are kept for two months.',
  })
  @ApiOkResponse({ type: WebhookDeliveryPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listWebhookDeliveries(@Query() query: WebhookDeliveryQueryDto): Promise<WebhookDeliveryPageDto> {
    const { endpoint_id: endpointId, state } = query;
    return toPageDto(await this.deliveries.list(toPageRequest(query), { endpointId, state }), toWebhookDeliveryDto);
  }

  @Post(':id/redeliver')
  @RequireScope('webhooks:manage')
  @HttpCode(HttpStatus.OK)
  @WithoutBody()
  @ApiOperation({
    summary: 'Redeliver an event',
    description:
      'Takes no body. Sends the event to the endpoint again, whatever the state of the delivery, with the same `webhook-id`.',
  })
  @ApiParam({ name: 'id', description: 'The delivery.', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: WebhookDeliveryDto, description: 'The delivery, which is sent within seconds.' })
  @ProblemReplies(['not_found', 'You have no webhook delivery with this id'], 'webhook_endpoint_disabled')
  async redeliverWebhook(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Param('id', PathId.uuid) id: string,
  ): Promise<WebhookDeliveryDto> {
    return toWebhookDeliveryDto(await this.deliveries.redeliver(tokenId, id));
  }
}
