import { createTemplate } from '../support/template-database';
import { startTestServer } from '../support/test-server';
import { misfit, specFiles } from './apply-mutant';
import { MUTANTS } from './list';
import type { Mutant } from './mutant';
import { type Options, readOptions, shuffled } from './options';
import { printTable, type Trial } from './report';
import { endRuns, runSpecs } from './run-specs';
import { makeScratchTree } from './scratch-tree';
import { tryMutant } from './try-mutant';

/** Minimum ratio of caught mutants. */
const WANTED = 0.9;
/** The same for a sample, which is too small for more. */
const WANTED_OF_SAMPLE = 0.5;

/**
 * Applies small mistakes to a copy of the code, one at a time, and runs the specs that should notice. Exits with 1 if a
 * mutant no longer fits the code, if specs fail without a mistake, or if too few are caught.
 */
async function main(options: Options): Promise<number> {
  const chosen = MUTANTS.filter(({ name }) => options.only.some((part) => name.includes(part)));
  const specs = specFiles('.');
  const misfits = chosen.map((mutant) => misfit('.', specs, mutant)).filter((text) => text !== undefined);
  for (const text of misfits) console.error(text);
  if (misfits.length > 0 || options.check) return misfits.length > 0 ? 1 : 0;
  const limited = Number.isFinite(options.seconds);
  if (limited) console.log(`A sample of ${chosen.length} mutants, --seed ${options.seed}`);
  const trials = await runAll(limited ? shuffled(chosen, options.seed) : chosen, options);
  printTable(trials);
  const caught = trials.filter(({ outcome }) => outcome === 'failed').length;
  const broken = trials.filter(({ outcome }) => outcome === 'broken').length;
  console.log(`${caught} of ${trials.length} caught, ${broken} could not be tried`);
  return broken === 0 && trials.length > 0 && caught >= trials.length * (limited ? WANTED_OF_SAMPLE : WANTED) ? 0 : 1;
}

async function runAll(mutants: Mutant[], { jobs, seconds, trusted }: Options): Promise<Trial[]> {
  const server = await startTestServer();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      endRuns();
      void server.stop().finally(() => process.exit(1));
    });
  try {
    process.env.TEST_DATABASE_URL = server.url;
    const template = await createTemplate();
    const giveUpAt = performance.now() + seconds * 1000;
    const trials: Trial[] = [];
    const left = [...mutants];
    const work = async (place: number) => {
      const root = makeScratchTree(place);
      for (let mutant = left.shift(); mutant && performance.now() < giveUpAt; mutant = left.shift()) {
        const startedAt = performance.now();
        const result = await tryMutant(root, mutant, server, template);
        const trial = { mutant, ...result, seconds: (performance.now() - startedAt) / 1000 };
        // A spec that fails without a mutant proves nothing.
        const sound = trusted || result.outcome !== 'failed' || (await passes(root, mutant));
        trials.push(sound ? trial : { ...trial, outcome: 'broken', why: 'The specs fail without it, too' });
        console.log(`${String(trials.length).padStart(3)} ${trials.at(-1)?.outcome} ${mutant.name}`);
      }
    };
    const sound = new Map<string, Promise<boolean>>();
    /** Whether the specs pass without a mutant; each combination is tried once. */
    const passes = (root: string, { specs, test }: Mutant) => {
      const key = JSON.stringify([specs, test]);
      const known = sound.get(key) ?? runSpecs(root, { specs, test }, server, template).then(passed);
      sound.set(key, known);
      return known;
    };
    const passed = ({ outcome }: { outcome: string }) => outcome === 'passed';
    await Promise.all(Array.from({ length: jobs }, (_, place) => work(place)));
    return trials;
  } finally {
    await server.stop();
  }
}

void main(readOptions()).then((code) => (process.exitCode = code));
