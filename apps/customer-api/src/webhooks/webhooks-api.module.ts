import { Module } from '@nestjs/common';
import { WebhooksModule } from '@domains/events';
import { WebhookDeliveriesController } from './webhook-deliveries.controller';
import { WebhookEndpointsController } from './webhook-endpoints.controller';

@Module({ imports: [WebhooksModule], controllers: [WebhookEndpointsController, WebhookDeliveriesController] })
export class WebhooksApiModule {}
