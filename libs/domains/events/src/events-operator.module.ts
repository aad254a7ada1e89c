import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventEntity } from './entities/event.entity';
import { EventPosition } from './entities/event-position.entity';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { EventsOperatorService } from './operator/events-operator.service';
import { ExpiringTokensService } from './worker/expiring-tokens.service';
import { EventSequencingService } from './worker/event-sequencing.service';

@Module({
  imports: [TypeOrmModule.forFeature([EventEntity, EventPosition, WebhookEndpoint, WebhookDelivery])],
  providers: [EventsOperatorService, EventSequencingService, ExpiringTokensService],
  exports: [EventsOperatorService, EventSequencingService, ExpiringTokensService],
})
export class EventsOperatorModule {}
