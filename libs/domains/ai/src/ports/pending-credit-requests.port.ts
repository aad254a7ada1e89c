import type { Expression } from '@platform/database';

/** A request for credit that waits for the operator. */
export interface PendingCreditRequest {
  id: number;
  /** In NOK, as decimal text. */
  amountNok: string;
  note: string | null;
  /** The customer's own name for the request. */
  reference: string | null;
  status: 'pending';
  reason: null;
  invoiceId: null;
  decidedAt: null;
  /** RFC 3339. */
  createdAt: string;
}

/** Where the customer's pending credit requests are read: by the domain that keeps them, in a statement of ours. */
export abstract class PendingCreditRequestsPort {
  /** All of a customer's, newest first; `$1` is the customer. A part of our statement, so that both are of one moment. */
  abstract readonly expression: Expression<PendingCreditRequest[]>;
}
