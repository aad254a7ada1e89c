import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { SecretsModule } from '@platform/secrets';
import { CustomersOperatorModule } from '@domains/customers';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { WebhookSecretsOperatorService } from './operator/webhook-secrets-operator.service';
import { WebhooksOperatorService } from './operator/webhooks-operator.service';
import { WebhookSecretsService } from './webhook-secrets/webhook-secrets.service';

/** Webhook endpoints and deliveries for the operator. */
@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookEndpoint, WebhookDelivery]),
    AuditModule,
    SecretsModule,
    CustomersOperatorModule,
  ],
  providers: [WebhooksOperatorService, WebhookSecretsOperatorService, WebhookSecretsService],
  exports: [WebhooksOperatorService, WebhookSecretsOperatorService],
})
export class WebhooksOperatorModule {}
