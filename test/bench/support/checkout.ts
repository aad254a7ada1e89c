import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A checkout of this project whose programs are measured. */
export interface Checkout {
  /** How figures call it. */
  name: string;
  /** The working directory of its programs. */
  folder: string;
  /** Where its compiled programs are. */
  built: string;
}

const BUILT = 'dist/bench';

/** The checkout that the benchmark belongs to. */
export const THIS: Checkout = { name: 'this checkout', folder: process.cwd(), built: resolve(__dirname, '../../..') };

/**
 * Another checkout, compiled anew by its own `bench:build`. @throws if its packages are not installed or it does not
 * compile
 */
export function otherCheckout(folder: string): Checkout {
  const root = resolve(folder);
  if (!existsSync(join(root, 'node_modules'))) throw new Error(`Run npm ci in ${root} first`);
  execFileSync('npm', ['run', '-s', 'bench:build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const commit = execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return { name: `the other, ${commit}`, folder: root, built: join(root, BUILT) };
}

/** This checkout, and the other one if there is one. */
export function checkoutsOf(against: string | undefined): Checkout[] {
  return against === undefined ? [THIS] : [THIS, otherCheckout(against)];
}

/** The main file of a program, such as `customer-api/src/main`. */
export function programOf({ built }: Checkout, path: string): string {
  return join(built, 'apps', `${path}.js`);
}
