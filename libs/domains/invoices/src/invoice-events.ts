import type { EntityManager } from 'typeorm';
import { type CustomerEventType, forgetRecords } from '@domains/events';

type InvoiceEventType = Extract<CustomerEventType, `invoice.${string}`>;

const TYPES: readonly InvoiceEventType[] = ['invoice.created', 'invoice.updated'];

/**
 * Writes an event about each of a customer's invoices, with the invoice as it is now, in the transaction that causes it. None about
 * drafts. @param timeZone the billing time zone
 */
export async function recordInvoiceEvents(
  manager: EntityManager,
  customerId: string,
  type: InvoiceEventType,
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

/**
 * Takes invoices that turned out to be another customer's out of this one's events, in the transaction that deletes them.
 */
export function forgetInvoiceEvents(manager: EntityManager, customerId: string, ids: readonly string[]): Promise<void> {
  return forgetRecords(manager, { customerId, types: TYPES, ids });
}
