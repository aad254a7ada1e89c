import type { Scope } from '@platform/tokens';
import type { EventEntity } from '../entities/event.entity';

/** An event as it is read from the log to be delivered. Its time is RFC 3339 text. */
export type DeliveredEvent = Pick<EventEntity, 'id' | 'type' | 'reference' | 'record'> & { createdAt: string };

/** Writes events as customers receive them. */
export abstract class EventBodiesPort {
  /** The JSON of an event, in the form of `GET /events`. @param scopes those of the endpoint; null for all */
  abstract write(event: DeliveredEvent, scopes: readonly Scope[] | null): string;
}
