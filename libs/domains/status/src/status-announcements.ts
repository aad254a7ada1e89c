import type { EntityManager } from 'typeorm';
import { recordEvent } from '@domains/events';

/** Tells these customers of status events that have begun and that they were not told of, in the transaction that began them. @returns how many */
export async function announceBegun(manager: EntityManager, customerIds: readonly string[]): Promise<number> {
  let told = 0;
  for (const customerId of customerIds) {
    const [row] = await manager.query<{ told: number }[]>('select app.announce_begun_status_events($1) as told', [
      customerId,
    ]);
    told += row?.told ?? 0;
  }
  return told;
}

/** Tells customers of the ends of status events, in the transaction that ended them. */
export async function announceEnded(
  manager: EntityManager,
  ended: readonly { customerId: string; serviceId: number }[],
): Promise<void> {
  for (const { customerId, serviceId } of ended)
    await recordEvent(manager, {
      customerId,
      type: 'service.status_changed',
      id: serviceId,
      by: 'app.record_service_event',
    });
}
