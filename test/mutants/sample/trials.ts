import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TestServer } from '../../support/test-server';
import { recompileFile } from '../recompile-file';
import { type Outcome, runSpecs } from '../run-specs';
import type { SpecChoice } from './choose-specs';
import type { SampledMutant } from './sampled-mutant';
import { linesOf, type Verdict } from './verdicts';

/** Code that makes the template of all databases. With a mistake there, a run makes its own. */
const TEMPLATE =
  /\.sql$|\/migrations\/|^libs\/schema\/|^libs\/platform\/database\/src\/(?:schema|distribution|partitions|definitions)/;

/** Failures that a busy machine causes, too. */
const SUSPICIOUS =
  /not ended after|Exceeded timeout|ECONNREFUSED|ECONNRESET|EADDRINUSE|ENOSPC|too many clients|did not happen|waited/i;

/** Failures of a test or a run that hangs. */
const HANGING = /^not ended after|Exceeded timeout of/i;

/**
 * How long a run may take, in milliseconds: to begin, with a template of its own, and so many times what its specs took when
 * they were measured; or in all, if they were not.
 */
const LIMIT = { start: 45_000, times: 3, unmeasured: 240_000 };

/** How many specs are tried first, and how long they may take on their own, in milliseconds. */
const NEAR = { specs: 6, ms: 90_000 };

/** Tries mutants in a scratch tree. */
export class Trials {
  constructor(
    private readonly root: string,
    private readonly server: TestServer,
    private readonly template: string,
    private readonly choice: SpecChoice,
    /** Names of the specs that passed without a mutant, one a line; nothing if they are known to pass. */
    private readonly soundFile: string | undefined,
    /** See the option `--through`. */
    private readonly through: string | undefined,
    /** When every run is ended, in the milliseconds of `performance.now()`. */
    private readonly endsAt: number,
  ) {}

  /**
   * Tries one mutant with the given specs, or the nearest.
   * @returns nothing if the time ended before
   */
  async one(mutant: SampledMutant, specs = this.nearest(mutant)): Promise<Verdict | undefined> {
    const verdict = await this.judge(mutant, specs);
    return performance.now() < this.endsAt ? verdict : undefined;
  }

  private async judge(mutant: SampledMutant, specs: string[]): Promise<Verdict> {
    const startedAt = performance.now();
    const verdict = (kind: Verdict['verdict'], rest: Partial<Verdict> = {}): Verdict => ({
      mutant,
      verdict: kind,
      passed: [],
      ...rest,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    });
    if (specs.length === 0) return verdict('uncovered');
    const outcome = await this.run([mutant], specs);
    if (outcome.outcome === 'passed') return verdict('survived', { passed: specs });
    const found = this.cause(outcome);
    if (!found.spec && mutant.file.endsWith('.sql')) return verdict('invalid', found);
    return verdict((await this.confirmed(mutant, found)) ? 'killed' : 'unclear', found);
  }

  /**
   * Runs specs on several mutants at once, each of another file. Which of them a failing spec notices is found by halves.
   * @returns the mutants that were noticed
   */
  async together(mutants: SampledMutant[], specs: string[]): Promise<Map<string, Verdict>> {
    const noticed = new Map<string, Verdict>();
    let left = specs;
    while (left.length > 0) {
      const active = mutants.filter(({ id }) => !noticed.has(id));
      if (active.length === 0) break;
      const outcome = await this.run(active, left);
      if (outcome.outcome === 'passed' || performance.now() >= this.endsAt) break;
      const { spec } = this.cause(outcome);
      if (!spec) {
        // Nothing runs with all of these together, though it did with each alone.
        if (active.length === 1) break;
        for (const half of halves(active)) for (const entry of await this.together(half, left)) noticed.set(...entry);
        break;
      }
      const suspects = active.filter((mutant) => this.choice.of(mutant).flat().includes(spec));
      const found = await this.noticedBy(spec, suspects);
      if (found) noticed.set(found.mutant.id, found);
      // Those before it passed. A spec that notices one mutant may notice another, too.
      left = left.slice(left.indexOf(spec) + (found ? 0 : 1));
    }
    return noticed;
  }

  /** @returns the verdict on one of the mutants that the spec notices alone, if there is one */
  private async noticedBy(spec: string, suspects: SampledMutant[]): Promise<Verdict | undefined> {
    if (performance.now() >= this.endsAt) return undefined;
    const [only, ...others] = suspects;
    if (only && others.length === 0) {
      const alone = await this.one(only, [spec]);
      return alone?.verdict === 'killed' ? alone : undefined;
    }
    for (const half of halves(suspects)) {
      if (half.length > 1 && (await this.run(half, [spec])).outcome === 'passed') continue;
      const found = await this.noticedBy(spec, half);
      if (found) return found;
    }
    return undefined;
  }

  /** The specs that are tried first. */
  nearest(mutant: SampledMutant): string[] {
    const [beside, elsewhere] = this.choice.of(mutant);
    const near: string[] = [];
    let ms = 0;
    // Specs beside the file are not all about it, and those of whole requests may be.
    const inTurn = beside.flatMap((spec, index) => [spec, ...elsewhere.slice(index, index + 1)]);
    for (const spec of [...inTurn, ...elsewhere.slice(beside.length)]) {
      if (near.length === NEAR.specs) break;
      if (near.length > 0 && ms + this.choice.ms(spec) > NEAR.ms) continue;
      near.push(spec);
      ms += this.choice.ms(spec);
    }
    return near;
  }

  private cause(outcome: Outcome): Pick<Verdict, 'spec' | 'test' | 'why'> {
    if (outcome.outcome === 'passed') return {};
    const spec = outcome.spec && relative(this.root, outcome.spec);
    const [test, why] = outcome.outcome === 'failed' ? [outcome.by, outcome.why] : ['', outcome.why];
    return { spec, test, why: why?.slice(0, 600) };
  }

  /**
   * Whether a failure comes from the mutant: the spec passes without it, and what time may have caused happens again. Where a
   * spec that is known to take far less hangs, that is enough: to see it hang again would take minutes.
   */
  private async confirmed(mutant: SampledMutant, { spec, test, why }: Partial<Verdict>): Promise<boolean> {
    if (!spec) return TEMPLATE.test(mutant.file);
    if (!(await this.isSound(spec))) return false;
    const failure = `${test} ${why}`;
    if (!SUSPICIOUS.test(failure) || (HANGING.test(failure) && this.choice.isMeasured(spec))) return true;
    const clean = await this.run([], [spec]);
    return clean.outcome === 'passed' && (await this.run([mutant], [spec])).outcome !== 'passed';
  }

  private async isSound(spec: string): Promise<boolean> {
    if (!this.soundFile || linesOf(this.soundFile).includes(spec)) return true;
    const { outcome } = await this.run([], [spec]);
    if (outcome === 'passed') appendFileSync(this.soundFile, `${spec}\n`);
    return outcome === 'passed';
  }

  private async run(mutants: SampledMutant[], specs: string[]): Promise<Outcome> {
    const undo: (() => void)[] = [];
    try {
      for (const mutant of mutants) {
        undo.push(apply(this.root, mutant));
        undo.push(recompileFile(this.root, mutant.file));
      }
      const template = mutants.some(({ file }) => TEMPLATE.test(file)) ? undefined : this.template;
      const run = { specs, inOrder: true, limit: this.limit(specs), through: this.through };
      return await runSpecs(this.root, run, this.server, template);
    } catch (error) {
      return { outcome: 'broken', why: String(error) };
    } finally {
      for (const back of undo) back();
    }
  }

  private limit(specs: string[]): number {
    const ms = specs.reduce((sum, spec) => sum + this.choice.ms(spec), 0);
    const enough = specs.every((spec) => this.choice.isMeasured(spec))
      ? LIMIT.start + ms * LIMIT.times
      : LIMIT.unmeasured;
    // A lock may take long to get.
    return Math.max(1, Math.min(enough * (this.through ? 10 : 1), this.endsAt - performance.now()));
  }
}

function halves<T>(items: T[]): T[][] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)].filter(({ length }) => length > 0);
}

function apply(root: string, { file, start, end, replacement }: SampledMutant): () => void {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, before.slice(0, start) + replacement + before.slice(end));
  return () => writeFileSync(path, before);
}
