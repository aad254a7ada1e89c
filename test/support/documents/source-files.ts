import { globSync, readFileSync } from 'node:fs';

/** A file of the repository that people wrote, documents apart. */
export interface SourceFile {
  path: string;
  text: string;
}

const FILES = [
  '{apps,libs,test}/**/*.{ts,mjs,cjs,sql}',
  '*.{ts,mjs,cjs,yml,yaml}',
  '.dependency-cruiser.cjs',
  '.ci/*',
  'Dockerfile',
];

/** All of them. */
export function readSourceFiles(): SourceFile[] {
  const paths = globSync(FILES, { exclude: ['**/node_modules/**'] });
  return paths.sort().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
