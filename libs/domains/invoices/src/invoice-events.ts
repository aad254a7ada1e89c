import type { EntityManager } from 'typeorm';
import type { CustomerEventType } from '@domains/events';

/**
 * Writes an event about each of a customer's invoices, with the invoice as it is now, in the transaction that causes it. None about
 * drafts. @param timeZone the billing time zone
 */
export async function recordInvoiceEvents(
  manager: EntityManager,
  customerId: string,
  type: Extract<CustomerEventType, `invoice.${string}`>,
  ids: readonly string[],
  timeZone: string,
): Promise<void> {
  if (ids.length === 0) return;
  await manager.query('select app.record_invoice_event($1, $2, id, $4) from unnest($3::uuid[]) id', [
    customerId,
    type,
    ids,
    timeZone,
  ]);
}
