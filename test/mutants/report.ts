import Table from 'cli-table3';
import type { Mutant } from './mutant';
import type { Outcome } from './run-specs';

/** A mutant with its result. */
export type Trial = Outcome & { mutant: Mutant; seconds: number };

const WORDS = { failed: 'caught', passed: 'SURVIVED', broken: 'BROKEN' };

/** Prints the result of each mutant, and which spec noticed it. */
export function printTable(trials: Trial[]): void {
  const table = new Table({
    head: ['mutant', 'outcome', 's', 'noticed by'],
    style: { head: [], border: [], compact: true },
  });
  for (const trial of trials.toSorted((a, b) => a.mutant.name.localeCompare(b.mutant.name)))
    table.push([trial.mutant.name, WORDS[trial.outcome], trial.seconds.toFixed(1), reason(trial)]);
  console.log(table.toString());
}

function reason(trial: Trial): string {
  switch (trial.outcome) {
    case 'failed':
      return trial.by.slice(0, 100);
    case 'passed':
      return trial.mutant.survives ?? '';
    case 'broken':
      return trial.why.slice(0, 300);
  }
}
