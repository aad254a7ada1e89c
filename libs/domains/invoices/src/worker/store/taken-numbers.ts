import type { EntityManager } from 'typeorm';
import { claimInvoiceNumbers } from './invoice-numbers';
import type { BillingSourceName } from '../../invoice-record';
import type { SyncStep } from '../run/sync-step';

/**
 * Claims the numbers of a step's documents; drafts have none yet. @returns the step to store: documents whose number
 * another one has become problems
 */
export async function refuseTakenNumbers(
  manager: EntityManager,
  source: BillingSourceName,
  step: SyncStep,
): Promise<SyncStep> {
  const numbered = step.invoices.filter(({ status }) => status !== 'draft');
  const taken = await claimInvoiceNumbers(manager, source, numbered);
  if (taken.size === 0) return step;
  const refused = numbered.filter(({ sourceId }) => taken.has(sourceId));
  const problems = refused.map(({ sourceId, number }) => ({
    sourceId,
    detail: `number: another invoice of ${source} has the number ${number}`,
  }));
  return {
    ...step,
    invoices: step.invoices.filter(({ sourceId }) => !taken.has(sourceId)),
    problems: [...step.problems, ...problems],
  };
}
