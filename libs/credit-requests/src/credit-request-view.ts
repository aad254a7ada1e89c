import type { CreditRequestStatus } from './credit-request.entity';

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
  decided_at: Date | string | null;
  created_at: Date | string;
}

/** The columns of the view. */
export const VIEW_COLUMNS =
  'id, amount_nok::text as amount_nok, note, reference, status, reason, invoice_id, decided_at, created_at';
