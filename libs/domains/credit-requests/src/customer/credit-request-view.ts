import type { CreditRequestStatus } from '../entities/credit-request.entity';

/** The fields of a credit request that its customer sees. */
export interface CreditRequestRow {
  id: number;
  /** In NOK, as decimal text. */
  amount_nok: string;
  note: string | null;
  reference: string | null;
  status: CreditRequestStatus;
  /** Why it was rejected. */
  reason: string | null;
  /** The invoice of an approved request. */
  invoice_id: string | null;
  /** RFC 3339. */
  decided_at: string | null;
  created_at: string;
}

/** The columns of the view. `time` formats times: as JSON they do not pass through the driver's parsers. */
export const viewColumns = (time = (column: string) => column) =>
  `id, amount_nok::text as amount_nok, note, reference, status, reason, invoice_id, ${time('decided_at')} as decided_at,
   ${time('created_at')} as created_at`;
