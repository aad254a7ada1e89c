import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import type { SampledMutant } from './sampled-mutant';

/** What is known about a mutant. */
export interface Verdict {
  mutant: SampledMutant;
  /** `invalid`: the change does not compile. `unclear`: a spec failed that may have failed without the mutant. */
  verdict: 'killed' | 'survived' | 'uncovered' | 'invalid' | 'unclear';
  /** Spec and test that noticed it. */
  spec?: string;
  test?: string;
  why?: string;
  /** Specs that did not notice it. */
  passed: string[];
  seconds: number;
}

/** The verdicts of a sample, kept in a file line by line, so that an interrupted run goes on. */
export class Verdicts {
  private readonly known = new Map<string, Verdict>();
  private readonly file: string;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, 'verdicts.jsonl');
    for (const line of linesOf(this.file)) {
      const verdict = JSON.parse(line) as Verdict;
      this.known.set(verdict.mutant.id, verdict);
    }
  }

  add(verdict: Verdict): void {
    this.known.set(verdict.mutant.id, verdict);
    appendFileSync(this.file, `${JSON.stringify(verdict)}\n`);
  }

  of(id: string): Verdict | undefined {
    return this.known.get(id);
  }

  all(): Verdict[] {
    return [...this.known.values()];
  }

  /** Prints the survivors, and what became of each group. `equivalents.txt` in the folder names ids, and why. */
  print(groups: string[]): void {
    const equivalent = new Set(linesOf(join(this.folder, 'equivalents.txt')).map((line) => line.split(' ')[0]));
    const kindOf = ({ mutant, verdict }: Verdict) =>
      verdict !== 'killed' && equivalent.has(mutant.id) ? 'equivalent' : verdict;
    const table = new Table({
      head: ['group', 'drawn', 'killed', 'equivalent', 'survived', 'not run', 'unclear'],
      style: { head: [], border: [], compact: true },
    });
    for (const group of groups) {
      const own = this.all().filter(({ mutant }) => mutant.group === group);
      const count = (kind: string) => own.filter((verdict) => kindOf(verdict) === kind).length;
      const drawn = own.length - count('invalid');
      const counts = ['killed', 'equivalent', 'survived', 'uncovered', 'unclear'].map(count);
      if (own.length > 0) table.push([group, drawn, ...counts]);
      for (const verdict of own)
        if (['survived', 'uncovered', 'unclear'].includes(kindOf(verdict))) console.log(describeMutant(verdict.mutant));
    }
    console.log(table.toString());
  }
}

/** A mutant in one line. */
export function describeMutant({ id, group, file, line, original, replacement }: SampledMutant): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80);
  return `${id} ${group} ${file}:${line}: ${short(original)} → ${short(replacement) || '(nothing)'}`;
}

/** Lines of a file that may not exist. */
export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}
