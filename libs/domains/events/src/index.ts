export { EventEntity } from './entities/event.entity';
export { EventPosition } from './entities/event-position.entity';
export { DELIVERY_STATES, type DeliveryState, WebhookDelivery } from './entities/webhook-delivery.entity';
export { DISABLED_REASONS, type DisabledReason, WebhookEndpoint } from './entities/webhook-endpoint.entity';
export {
  CUSTOMER_EVENT_TYPES,
  CUSTOMER_EVENTS,
  type CustomerEventType,
  EVENT_TYPES,
  type EventType,
  OPERATOR_EVENTS,
  type OperatorEventType,
  scopeOf,
} from './event-types';
export { EVENT_DAYS, type EventPage, type EventRequest, type EventRow, EventsService } from './customer/events.service';
export { EventWaitsService } from './customer/event-waits.service';
export { EventsModule } from './events.module';
export { type EventFilter, EventsOperatorService } from './operator/events-operator.service';
export { type EventCause, recordEvent } from './record-event';
export { EventsOperatorModule } from './events-operator.module';
export { EventSequencingService } from './worker/event-sequencing.service';
export { EventsSchema1763683201600 } from './migrations/1763683201600-events';
export { ExpiringTokensService } from './worker/expiring-tokens.service';
