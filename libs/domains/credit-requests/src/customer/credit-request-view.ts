import type { ReadRow } from '@platform/database';
import type { CreditRequest } from '../entities/credit-request.entity';

/** Properties that the customer sees. */
export const CREDIT_REQUEST = [
  'id',
  'amountNok',
  'note',
  'reference',
  'status',
  'reason',
  'invoiceId',
  'decidedAt',
  'createdAt',
] as const satisfies (keyof CreditRequest)[];

/** The fields of a credit request that its customer sees. */
export type CreditRequestRow = ReadRow<CreditRequest, (typeof CREDIT_REQUEST)[number]>;
