import type { CreditRequestStatus } from '../entities/credit-request.entity';

/** A credit request as its customer sees it. */
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

/** The columns of the view. `time` writes times, where they become part of JSON and no driver reads them. */
export const viewColumns = (time = (column: string) => column) =>
  `id, amount_nok::text as amount_nok, note, reference, status, reason, invoice_id, ${time('decided_at')} as decided_at,
   ${time('created_at')} as created_at`;
