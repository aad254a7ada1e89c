import type { EntityManager } from 'typeorm';
import { isDataRefused } from '@platform/database';
import type { BillingSourceName } from '../../invoice-record';
import type { SourceProblem } from '../../ports/billing-source.port';
import { deleteDrafts, deleteMoved, upsertInvoices, upsertProblems, voidGone } from './sync-statements';
import type { SyncStep } from '../run/sync-step';
import { refuseTakenNumbers } from './taken-numbers';

/** Customer, source and account of the documents. */
export interface SyncedAccount {
  customerId: string;
  source: BillingSourceName;
}

/**
 * Stores the result of a step within the caller's transaction. If the database refuses a document, it becomes a problem
 * and the others are stored. @returns how many documents were stored, and how many could not be
 */
export async function storeStep(
  manager: EntityManager,
  account: SyncedAccount,
  step: SyncStep,
): Promise<{ stored: number; skipped: number }> {
  const { customerId, source } = account;
  const foreign = step.problems.filter((problem) => problem.foreign).map(({ sourceId }) => sourceId);
  const moved = [...(step.moved ?? []), ...foreign];
  if (moved.length > 0) await deleteMoved(manager, customerId, source, moved);
  if (step.gone?.length) await deleteDrafts(manager, customerId, source, step.gone);
  if (step.voided?.length) await voidGone(manager, customerId, source, step.voided);
  const storable = await storeInvoices(manager, account, step);
  await upsertProblems(manager, customerId, source, storable);
  return { stored: storable.invoices.length, skipped: storable.problems.length };
}

async function storeInvoices(manager: EntityManager, account: SyncedAccount, step: SyncStep): Promise<SyncStep> {
  const attempt = await tryToStore(manager, account, step);
  if (attempt || step.invoices.length === 0) return attempt ?? step;
  // One of the documents is at fault: store each one by itself.
  const result: SyncStep = { ...step, invoices: [], problems: [...step.problems] };
  for (const invoice of step.invoices) {
    const alone = await tryToStore(manager, account, { invoices: [invoice], problems: [] });
    const refused: SourceProblem = { sourceId: invoice.sourceId, detail: 'The database cannot store it' };
    result.invoices.push(...(alone?.invoices ?? []));
    result.problems.push(...(alone?.problems ?? [refused]));
  }
  return result;
}

/** @returns the step as it was stored; undefined if the database refused it as a whole */
async function tryToStore(
  manager: EntityManager,
  { customerId, source }: SyncedAccount,
  step: SyncStep,
): Promise<SyncStep | undefined> {
  try {
    // A nested transaction is a savepoint.
    return await manager.transaction(async (savepoint) => {
      const storable = await refuseTakenNumbers(savepoint, source, step);
      await upsertInvoices(savepoint, customerId, source, storable.invoices);
      return storable;
    });
  } catch (error) {
    if (isDataRefused(error)) return undefined;
    throw error;
  }
}
