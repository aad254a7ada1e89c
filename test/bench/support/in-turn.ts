import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Checkout, checkoutsOf } from './checkout';
import { median, ratioOf } from './compare';

/** A figure that a benchmark prints: how it is called, and a pattern whose first group is the number. */
export interface PrintedFigure {
  name: string;
  pattern: RegExp;
}

/**
 * Runs the same benchmark of this and of another checkout in turn, each with a database of its own, and prints the medians of
 * the figures that they print. For benchmarks that cannot keep two services running at once.
 */
export function compareInTurn(
  benchmark: string,
  { against, seconds, rounds }: { against: string; seconds: number; rounds: number },
  figures: readonly PrintedFigure[],
): void {
  const checkouts = checkoutsOf(against);
  const results = new Map<Checkout, number[][]>(checkouts.map((checkout) => [checkout, figures.map(() => [])]));
  for (let round = 0; round < rounds; round++) {
    for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed()) {
      const printed = run(checkout, benchmark, seconds);
      for (const [index, { name, pattern }] of figures.entries()) {
        const [, number] = pattern.exec(printed) ?? [];
        if (number === undefined) throw new Error(`${checkout.name} does not print ${name}: ${printed}`);
        results.get(checkout)?.[index]?.push(Number(number));
      }
    }
  }
  const [ours = [], theirs = []] = checkouts.map((checkout) => results.get(checkout));
  for (const [index, { name }] of figures.entries()) {
    const [mine = [], base = []] = [ours[index], theirs[index]];
    process.stdout.write(`${name.padEnd(44)} ${median(mine)} against ${median(base)}  ${ratioOf(mine, base)}\n`);
  }
}

function run({ built, folder }: Checkout, benchmark: string, seconds: number): string {
  const main = join(built, 'test/bench', benchmark, 'main.js');
  const { status, stdout } = spawnSync(process.execPath, [main, String(seconds)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${main} ended with ${status}`);
  return stdout;
}
