import type { ReadRow } from '@platform/database';
import type { AiLedgerEntry, LedgerKind } from '../../entities/ai-ledger-entry.entity';
import type { Period } from '../period';

export const ENTRY = [
  'sequence',
  'createdAt',
  'kind',
  'bucket',
  'amount',
  'balanceAfter',
  'month',
  'usageId',
  'creditRequestId',
  'invoiceId',
  'note',
  'actor',
] as const satisfies (keyof AiLedgerEntry)[];

/** An entry of the ledger; amounts in NOK as decimal texts. */
export type LedgerEntry = ReadRow<AiLedgerEntry, (typeof ENTRY)[number]>;

/** Which entries a list has. */
export interface LedgerFilter extends Period {
  kind?: LedgerKind;
}
