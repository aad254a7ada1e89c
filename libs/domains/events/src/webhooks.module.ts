import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecretsModule } from '@platform/secrets';
import { WebhookDeliveriesService } from './customer/webhook-deliveries.service';
import { WebhookEndpointsService } from './customer/webhook-endpoints.service';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { WebhookSecretsService } from './webhook-secrets/webhook-secrets.service';

/** The customer's webhook endpoints, and the deliveries to them. */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEndpoint, WebhookDelivery]), SecretsModule],
  providers: [WebhookEndpointsService, WebhookDeliveriesService, WebhookSecretsService],
  exports: [WebhookEndpointsService, WebhookDeliveriesService],
})
export class WebhooksModule {}
