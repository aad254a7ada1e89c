import { parseArgs } from 'node:util';

/** The command line of a benchmark: `[SECONDS] [more numbers] [--rounds N] [--against FOLDER]`. */
export interface BenchOptions {
  /** The length of one measurement. */
  seconds: number;
  /** Measurements of each contestant, in turn. */
  rounds: number;
  /** Another checkout of this project, with its packages installed, to be measured in turn with this one. */
  against?: string;
  /** Further numbers of the command line. */
  more: number[];
}

export function readBenchOptions(defaults: { seconds: number; rounds: number }): BenchOptions {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: 'string' }, against: { type: 'string' } },
    allowPositionals: true,
  });
  const [seconds = defaults.seconds, ...more] = positionals.map(positive);
  const { rounds = String(defaults.rounds), against } = values;
  return { seconds, rounds: positive(rounds), against, more };
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`Not a number above 0: ${text}`);
  return number;
}
