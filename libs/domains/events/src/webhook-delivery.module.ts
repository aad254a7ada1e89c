import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MetricsModule } from '@platform/metrics';
import { SecretsModule } from '@platform/secrets';
import { UpstreamModule } from '@platform/upstream';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { EventBodiesPort } from './ports/event-bodies.port';
import { WebhookSecretsService } from './webhook-secrets/webhook-secrets.service';
import { WebhookQueueService } from './worker/webhook-queue.service';
import { WebhookRunsService } from './worker/webhook-runs.service';

/** Deliveries by the worker. */
@Module({})
export class WebhookDeliveryModule {
  /** With the writer of events: the records of all domains, which this one does not know. */
  static with(bodies: Type<EventBodiesPort>): DynamicModule {
    return {
      module: WebhookDeliveryModule,
      imports: [
        TypeOrmModule.forFeature([WebhookEndpoint, WebhookDelivery]),
        MetricsModule,
        SecretsModule,
        UpstreamModule,
      ],
      providers: [
        { provide: EventBodiesPort, useClass: bodies },
        WebhookRunsService,
        WebhookQueueService,
        WebhookSecretsService,
      ],
      exports: [WebhookRunsService, WebhookQueueService],
    };
  }
}
