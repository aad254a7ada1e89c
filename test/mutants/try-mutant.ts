import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestServer } from '../support/test-server';
import { applyMutant } from './apply-mutant';
import type { Mutant } from './mutant';
import { type Outcome, runSpecs } from './run-specs';

/** What the migrations make is in the template: a mistake there needs one of its own. */
const SCHEMA = /\.sql$|\/migrations\//;

/** Makes the mistake in a tree, runs the specs that should notice, and takes it out again. */
export async function tryMutant(root: string, mutant: Mutant, server: TestServer, template: string): Promise<Outcome> {
  const restore = applyMutant(root, mutant);
  try {
    const errors = mutant.compiled ? compile(root) : '';
    if (errors) return { outcome: 'broken', why: errors };
    return await runSpecs(root, mutant, server, SCHEMA.test(mutant.file) ? undefined : template);
  } finally {
    restore();
    // The next mutant of a program that runs compiled must not find this one in it.
    if (mutant.compiled) compile(root);
  }
}

function compile(root: string): string {
  const nest = join(root, 'node_modules', '.bin', 'nest');
  const { status, stdout, stderr } = spawnSync(nest, ['build'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? '' : `It does not compile: ${stdout}${stderr}`.slice(0, 2000);
}
