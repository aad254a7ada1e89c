import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** Options of the command line. */
export interface Options {
  /** Only checks whether every mutant still fits the code. */
  check: boolean;
  /** Only mutants whose names contain one of these. */
  only: string[];
  /** Starts no further mutant after this many seconds; Infinity runs all. If finite, the order is random. */
  seconds: number;
  seed: number;
  jobs: number;
  /** Whether the specs are known to pass without a mutant, so that this is not checked. */
  trusted: boolean;
}

/** Parses the command line. @throws for an unknown option */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [''] },
      seconds: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      jobs: { type: 'string', default: '2' },
      trusted: { type: 'boolean', default: false },
    },
  });
  const { check, only, trusted } = values;
  return {
    check,
    only,
    trusted,
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    jobs: Number(values.jobs),
  };
}

/** Shuffles the items by the seed (mulberry32, Fisher-Yates). */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const order = items.map((item) => ({ item, place: random() }));
  return order.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
