import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant';

/** What keeps a mutant from being applied to a tree, or nothing. */
export function misfit(root: string, { name, file, find, replace }: Mutant): string | undefined {
  const path = join(root, file);
  if (!existsSync(path)) return `${name}: there is no ${file}`;
  const times = readFileSync(path, 'utf8').split(find).length - 1;
  if (times !== 1) return `${name}: its text is ${times} times in ${file}: ${find}`;
  return find === replace ? `${name}: it changes nothing` : undefined;
}

/** Puts the mistake into the tree. @returns what takes it out again. */
export function applyMutant(root: string, { file, find, replace }: Mutant): () => void {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
  return () => writeFileSync(path, before);
}
