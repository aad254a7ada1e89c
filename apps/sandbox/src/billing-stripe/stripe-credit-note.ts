/** A credit note as the store keeps it. */
export interface StripeCreditNote {
  id: string;
  customer: string;
  /** The invoice that it credits. */
  invoice: string;
  status: 'issued' | 'void';
  /** Position in the order of creation; numbers follow it. */
  serial: number;
  /** ISO 4217, lower case as Stripe has it. */
  currency: string;
  /** Minor units. */
  total: number;
  /** Seconds since 1970. */
  created: number;
  /** Fields of the wire format to override, which makes the note malformed. */
  corrupted?: Record<string, unknown>;
}
