import type { EntityManager } from 'typeorm';
import type { CustomerEventType } from './event-types';

/** What happened to a record. */
export interface EventCause {
  customerId: string;
  type: CustomerEventType;
  /** The id of the record. */
  id: string | number;
  /** The function of the record's domain that writes its events, with the record as it is now: `app.record_…_event`. */
  by: `app.record_${string}_event`;
}

/** Writes an event, in the transaction that causes it and behind what it tells. */
export async function recordEvent(manager: EntityManager, { customerId, type, id, by }: EventCause): Promise<void> {
  await manager.query(`select ${by}($1, $2, $3)`, [customerId, type, id]);
}
