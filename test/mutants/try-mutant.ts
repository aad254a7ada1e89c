import type { TestServer } from '../support/test-server';
import { applyMutant } from './apply-mutant';
import type { Mutant } from './mutant';
import { recompileFile } from './recompile-file';
import { type Outcome, runSpecs } from './run-specs';

/** The template contains what the migrations create: a mutant there needs a new template. */
const SCHEMA = /\.sql$|\/migrations\//;

/** Applies the mutant, runs the specs that should notice, and reverts it. */
export async function tryMutant(root: string, mutant: Mutant, server: TestServer, template: string): Promise<Outcome> {
  const restore = [applyMutant(root, mutant)];
  try {
    restore.push(recompileFile(root, mutant.file));
    return await runSpecs(root, mutant, server, SCHEMA.test(mutant.file) ? undefined : template);
  } catch (error) {
    return { outcome: 'broken', why: `It does not compile: ${String(error)}`.slice(0, 2000) };
  } finally {
    // The next mutant must not find this one, neither in the sources nor in the compiled programs.
    for (const undo of restore) undo();
  }
}
