import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';

/** What `dist` is compiled from. */
const COMPILED = /^(?:apps|libs)\/.*\.(?:ts|sql)$/;

/**
 * Compiles one file anew into the tree's `dist`, as specs start compiled programs: the operator's commands, the worker,
 * the API as a process. Types are not checked. What the API document says of a field stays as it was, since only the
 * whole compilation writes that.
 * @returns what takes it out again. @throws for what is no TypeScript.
 */
export function recompileFile(root: string, file: string): () => void {
  if (!COMPILED.test(file)) return () => undefined;
  const target = join(root, 'dist', file.replace(/\.ts$/, '.js'));
  const before = readFileSync(target);
  writeFileSync(target, file.endsWith('.sql') ? readFileSync(join(root, file)) : compile(root, file));
  return () => writeFileSync(target, before);
}

function compile(root: string, file: string): string {
  const { code } = transformFileSync(join(root, file), {
    swcrc: false,
    configFile: false,
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      baseUrl: root,
      paths: {
        '@domains/*': ['libs/domains/*/src/index.js'],
        '@records/*': ['libs/records/src/*'],
        '@schema': ['libs/schema/src/index.js'],
        '@platform/*': ['libs/platform/*/src/index.js'],
      },
    },
  });
  return code;
}
