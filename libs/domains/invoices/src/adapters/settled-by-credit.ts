import type { InvoiceStatus } from '../invoice-record';

/**
 * What is due, and what that makes of an open invoice. One that was credited in full, or beyond it, is not open, though its
 * source may say so: nothing is to be paid. It is void where nothing ever was paid.
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
