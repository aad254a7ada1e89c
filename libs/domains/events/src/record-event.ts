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

/** Events whose records are not to be seen any more. */
export interface ForgottenRecords {
  customerId: string;
  types: readonly CustomerEventType[];
  /** The ids of the records. */
  ids: readonly (string | number)[];
}

/** Writes an event, in the transaction that causes it and behind what it tells. */
export async function recordEvent(manager: EntityManager, { customerId, type, id, by }: EventCause): Promise<void> {
  await manager.query(`select ${by}($1, $2, $3)`, [customerId, type, id]);
}

/**
 * Takes the records out of a customer's events, in the transaction that deletes what was another customer's: their readers, and
 * webhooks that are sent or repeated from now on, get the ids alone.
 */
export async function forgetRecords(
  manager: EntityManager,
  { customerId, types, ids }: ForgottenRecords,
): Promise<void> {
  if (ids.length > 0) await manager.query('select app.forget_event_records($1, $2, $3)', [customerId, types, ids]);
}
