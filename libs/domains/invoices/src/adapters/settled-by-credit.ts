import type { InvoiceStatus } from '../invoice-record';

/**
 * The amount due, and the resulting status of an open invoice. An invoice that is credited in full or more is not open,
 * even if its source says so. It is void if nothing was ever paid.
 */
export function settleCredited(
  status: InvoiceStatus,
  due: bigint,
  wasPaid: boolean,
): { status: InvoiceStatus; amountDue: bigint } {
  if (due > 0n) return { status, amountDue: due };
  if (status !== 'open') return { status, amountDue: 0n };
  return { status: wasPaid ? 'paid' : 'void', amountDue: 0n };
}
