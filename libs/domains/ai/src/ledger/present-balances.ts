import type { EntityTable } from '@platform/database';
import type { AiAccount } from '../entities/ai-account.entity';
import type { AiSettings } from '../entities/ai-settings.entity';

/**
 * A query of one row, to be joined laterally: the balances of the account `a` with the settings `s`, each of which may be missing.
 * An account that has not begun the month is shown as if `app.ai_roll_over` had begun it. No function of the database, because
 * the nodes of a cluster call none that reads tables for a row.
 * @param month SQL of the present month @param grant SQL of the included credit that the month begins with, in NOK
 */
export function presentBalances(
  a: EntityTable<AiAccount>,
  s: EntityTable<AiSettings>,
  { month, grant }: { month: string; grant: string },
): string {
  const limitLeft = `${s.column('monthlyLimit')} - ${a.column('monthIncludedUsage')}`;
  const kept = `app.ai_kept_over_month(${a.column('included')}, ${limitLeft}, ${a.column('purchased')}, ${a.column('reserved')})`;
  const inMonth = (present: string, rolledOver: string) =>
    `case when ${a.column('month')} >= ${month} then ${present} else ${rolledOver} end`;
  return `
    select greatest(${a.column('month')}, ${month}) as month,
      ${inMonth(a.column('monthGranted'), grant)} as granted,
      ${inMonth(a.column('included'), `coalesce(${kept}, 0) + ${grant}`)} as included,
      coalesce(${a.column('purchased')}, 0) as purchased,
      coalesce(${a.column('reserved')}, 0) as reserved,
      ${inMonth(a.column('monthUsage'), '0')} as usage,
      ${inMonth(a.column('monthIncludedUsage'), '0')} as included_usage`;
}
