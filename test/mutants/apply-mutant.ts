import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant';

/** Paths of all specs of a tree. */
export function specFiles(root: string): string[] {
  return globSync('{apps,libs,test}/**/*.spec.ts', { cwd: root });
}

/** What keeps a mutant from being tried in a tree with these specs, or nothing. */
export function misfit(
  root: string,
  allSpecs: string[],
  { name, file, find, replace, specs, test }: Mutant,
): string | undefined {
  const path = join(root, file);
  if (!existsSync(path)) return `${name}: there is no ${file}`;
  const times = readFileSync(path, 'utf8').split(find).length - 1;
  if (times !== 1) return `${name}: its text is ${times} times in ${file}: ${find}`;
  if (find === replace) return `${name}: it changes nothing`;
  const idle = specs.filter((part) => !allSpecs.some((spec) => spec.includes(part)));
  if (idle.length > 0) return `${name}: no spec's path has ${idle.join(', ')}`;
  const tests = allSpecs.filter((spec) => specs.some((part) => spec.includes(part)));
  const named = tests.some((spec) => new RegExp(test ?? '').test(readFileSync(join(root, spec), 'utf8')));
  return named ? undefined : `${name}: its specs have no test with: ${test}`;
}

/** Applies a mutant to the tree. @returns a function that reverts it */
export function applyMutant(root: string, { file, find, replace }: Mutant): () => void {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
  return () => writeFileSync(path, before);
}
