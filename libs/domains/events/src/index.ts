export { WEBHOOK_DESCRIPTION_MAX } from './webhook-values';
export { EventEntity } from './entities/event.entity';
export { EventPosition } from './entities/event-position.entity';
export {
  type DeliveredType,
  DELIVERY_STATES,
  type DeliveryState,
  TEST_TYPE,
  WebhookDelivery,
} from './entities/webhook-delivery.entity';
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
  unknownTypeFault,
} from './event-types';
export { type EventPage, type EventRequest, type EventRow, EventsService } from './customer/events.service';
export { EventWaitsService } from './customer/event-waits.service';
export { EventsModule } from './events.module';
export { type EventFilter, EventsOperatorService } from './operator/events-operator.service';
export { type EventCause, type ForgottenRecords, forgetRecords, recordEvent } from './record-event';
export { EventsOperatorModule } from './events-operator.module';
export { EventSequencingService } from './worker/event-sequencing.service';
export { EventInbox1763683203800 } from './migrations/1763683203800-event-inbox';
export { EventsSchema1763683201600 } from './migrations/1763683201600-events';
export { ExpiringTokensService } from './worker/expiring-tokens.service';
export { FormerWebhookSecrets1763683206000 } from './migrations/1763683206000-former-webhook-secrets';
export { WebhookAttempts1763683207200 } from './migrations/1763683207200-webhook-attempts';
export { WebhookInbox1763683203900 } from './migrations/1763683203900-webhook-inbox';
export { WebhooksSchema1763683201700 } from './migrations/1763683201700-webhooks';
export { type DeliveredEvent, EventBodiesPort } from './ports/event-bodies.port';
export {
  type ChangingToken,
  type EndpointChange,
  type NewEndpoint,
  type WebhookEndpointRow,
  WebhookEndpointsService,
} from './customer/webhook-endpoints.service';
export {
  type DeliveryFilter,
  type WebhookDeliveryRow,
  WebhookDeliveriesService,
} from './customer/webhook-deliveries.service';
export { WebhooksModule } from './webhooks.module';
export {
  type EndpointView,
  type NewOperatorEndpoint,
  type OperatorDeliveryFilter,
  type OperatorEndpointChange,
  WebhooksOperatorService,
} from './operator/webhooks-operator.service';
export {
  countUnreadableWebhookSecrets,
  type SecretCount,
  type SecretReencryption,
  WebhookSecretsOperatorService,
} from './operator/webhook-secrets-operator.service';
export { WebhooksOperatorModule } from './webhooks-operator.module';
export { WebhookDeliveryModule } from './webhook-delivery.module';
export {
  type DueRun,
  endpointOfRun,
  FAILING_RUNS,
  WEBHOOK_RUNS,
  type WebhookHealth,
  WebhookQueueService,
} from './worker/webhook-queue.service';
export { WebhookSecretsService } from './webhook-secrets/webhook-secrets.service';
export { WebhookRunsService } from './worker/webhook-runs.service';
