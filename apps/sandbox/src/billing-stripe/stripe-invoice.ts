/** States of an invoice at Stripe. */
export type StripeStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';

/** An invoice as the store keeps it. */
export interface StripeInvoice {
  id: string;
  customer: string;
  status: StripeStatus;
  /** Position in the order of creation; numbers follow it. */
  serial: number;
  /** ISO 4217, lower case as Stripe has it. */
  currency: string;
  /** Minor units. */
  total: number;
  /** Seconds since 1970. */
  created: number;
  /** Seconds since 1970. */
  dueDate: number;
  /** Fields of the wire format to override, which makes the invoice malformed. */
  corrupted?: Record<string, unknown>;
}
