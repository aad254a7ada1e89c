import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventWaitsService } from './customer/event-waits.service';
import { EventsService } from './customer/events.service';
import { EventEntity } from './entities/event.entity';
import { EventPosition } from './entities/event-position.entity';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';

/** Events for the API: the log, and the customer's webhook endpoints. */
@Module({
  imports: [TypeOrmModule.forFeature([EventEntity, EventPosition, WebhookEndpoint, WebhookDelivery])],
  providers: [EventsService, EventWaitsService],
  exports: [EventsService],
})
export class EventsModule {}
