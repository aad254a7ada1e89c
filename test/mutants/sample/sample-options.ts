import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GROUP_NAMES } from './draw';

/** Options of the command line. */
export interface SampleOptions {
  seed: string;
  /** Mutants of each group. */
  count: number;
  groups: string[];
  /** Ends so many seconds after the first mutant is tried; one that is being tried then does not count. */
  seconds: number;
  jobs: number;
  /** Folder of the checkout that is changed, with its packages and its `dist`. */
  checkout: string;
  /** Folder of the verdicts and of the coverage; a run goes on where the last one with the same folder ended. */
  results: string;
  /** Records which lines each spec runs, before anything else. */
  measure: boolean;
  /** Runs all further specs on what the nearest specs did not notice, several mutants at once. */
  wide: boolean;
  /** Only prints the mutants. */
  list: boolean;
  /** Whether the specs are known to pass without a mutant. */
  trusted: boolean;
  /** Tries also what the type check would refuse: for a quick look, since the check takes longer than many mutants. */
  unchecked: boolean;
  /** Only these mutants, by their ids, whatever was found about them before. */
  mutants: string[];
  /** Specs to run instead of the nearest. */
  specs: string[];
  /** A command through which every run of specs is started, such as one that waits for a lock. */
  through: string | undefined;
}

/** Parses the command line. @throws for an unknown option */
export function readSampleOptions(): SampleOptions {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      count: { type: 'string', default: '50' },
      group: { type: 'string', multiple: true, default: GROUP_NAMES },
      seconds: { type: 'string', default: 'Infinity' },
      jobs: { type: 'string', default: '1' },
      checkout: { type: 'string', default: '.' },
      results: { type: 'string' },
      measure: { type: 'boolean', default: false },
      wide: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      trusted: { type: 'boolean', default: false },
      unchecked: { type: 'boolean', default: false },
      mutant: { type: 'string', multiple: true, default: [] },
      spec: { type: 'string', multiple: true, default: [] },
      through: { type: 'string' },
    },
  });
  const { seed, measure, wide, list, trusted, unchecked } = values;
  const groups = values.group;
  const unknown = groups.filter((name) => !GROUP_NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`No group: ${unknown.join(', ')}; there are ${GROUP_NAMES.join(', ')}`);
  return {
    seed,
    measure,
    wide,
    list,
    trusted,
    unchecked,
    groups,
    count: Number(values.count),
    seconds: Number(values.seconds),
    jobs: Number(values.jobs),
    checkout: resolve(values.checkout),
    results: values.results ?? join(tmpdir(), 'customer-account-service-mutants-sample', seed),
    mutants: values.mutant,
    specs: values.spec,
    through: values.through,
  };
}
