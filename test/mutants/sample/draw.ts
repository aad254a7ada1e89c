import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SampledMutant } from './sampled-mutant';
import { sqlChanges } from './sql-mutants';
import { typescriptChanges } from './typescript-mutants';

/**
 * Groups of files, from each of which as many mistakes are drawn. A file belongs to the first that matches. Left out are the
 * sandbox, and the console: it is compiled with packages of its own, and its tests need a browser.
 */
const GROUPS: [name: string, files: RegExp][] = [
  ['http', /^libs\/platform\/(?:http|access|tokens)\//],
  ['database', /^libs\/platform\/(?:database|jobs|idempotency)\//],
  ['platform', /^libs\/platform\//],
  ['ledger', /^libs\/domains\/ai\/src\/(?:ledger|liveness)\/|^libs\/domains\/ai\/.*\.sql$/],
  ['ai', /^libs\/domains\/ai\/|^apps\/customer-api\/src\/ai/],
  ['invoices-sms', /^libs\/domains\/(?:invoices|sms)\//],
  ['domains', /^libs\/(?:domains|schema)\//],
  ['apps', /^apps\/(?!sandbox\/|operator-console\/)/],
];

/** Names of the groups. */
export const GROUP_NAMES = GROUPS.map(([name]) => name);

/** All mistakes that can be made in a checkout, by group, each in an order that only the seed decides. */
export function drawMutants(root: string, seed: string): Map<string, SampledMutant[]> {
  const drawn = new Map<string, SampledMutant[]>(GROUP_NAMES.map((name) => [name, []]));
  const files = globSync('{apps,libs}/**/*.{ts,sql}', { cwd: root }).filter((file) => !/\.(?:spec|d)\.ts$/.test(file));
  for (const file of files.sort()) {
    const group = GROUPS.find(([, pattern]) => pattern.test(file))?.[0];
    if (group) drawn.get(group)?.push(...mutantsOf(root, file, group));
  }
  for (const [group, mutants] of drawn) drawn.set(group, shuffled(mutants, seed));
  return drawn;
}

function mutantsOf(root: string, file: string, group: string): SampledMutant[] {
  const text = readFileSync(join(root, file), 'utf8');
  const changes = file.endsWith('.sql') ? sqlChanges(text) : typescriptChanges(file, text);
  return changes.map((change) => {
    const { start, end, replacement } = change;
    const id = hash(`${file} ${start} ${end} ${replacement}`).slice(0, 10);
    const line = text.slice(0, start).split('\n').length;
    return { ...change, id, group, file, line, original: text.slice(start, end) };
  });
}

function shuffled(mutants: SampledMutant[], seed: string): SampledMutant[] {
  const keyed = mutants.map((mutant) => ({ mutant, key: hash(`${seed} ${mutant.id}`) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ mutant }) => mutant);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
