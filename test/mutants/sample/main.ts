import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Client } from 'pg';
import { startTestServer } from '../../support/test-server';
import { endRuns } from '../run-specs';
import { makeScratchTree } from '../scratch-tree';
import { findSpecs, SpecChoice } from './choose-specs';
import { drawMutants } from './draw';
import { readSampleOptions, type SampleOptions } from './sample-options';
import type { SampledMutant } from './sampled-mutant';
import { coverageFolder, readCoverage } from './spec-coverage';
import { Trials } from './trials';
import { TypeCheck } from './type-check';
import { describeMutant, linesOf, type Verdict, Verdicts } from './verdicts';

/** Ends the sample. Runs that this ends say nothing about their mutants. */
const interruption = new AbortController();

/** Of fewer mutants all may be such as change nothing, or be noticed by none of the nearest specs. */
const SMALL = 8;
/** How many mutants of different files a wide run tries at once: most of them survive, and each run of all specs takes minutes. */
const TOGETHER = 32;

/**
 * Draws small mistakes at random, puts each into a copy of the code, and runs the specs that should notice it. The specs come
 * from coverage, nearest first, if that was measured; otherwise from their names. StrykerJS has the same mistakes, but its jest
 * runner cannot switch one on in the compiled programs that specs start.
 */
async function main(options: SampleOptions): Promise<number> {
  console.log(`--seed ${options.seed} --results ${options.results}`);
  mkdirSync(options.results, { recursive: true });
  const drawn = drawMutants(options.checkout, options.seed);
  if (options.list) {
    for (const mutant of validOnes(drawn, options)) console.log(describeMutant(mutant));
    return 0;
  }
  const server = await startTestServer();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interruption.abort();
      endRuns();
      void server.stop().finally(() => process.exit(1));
    });
  try {
    const roots = Array.from({ length: options.jobs }, (_, place) =>
      makeScratchTree(`sample-${place}`, options.checkout),
    );
    const template = await createTemplate(roots[0] as string, server.url);
    const coverage = join(options.results, 'coverage');
    const soundFile = join(options.results, 'sound.txt');
    const database = { url: server.url, template };
    if (options.measure) await measure(roots[0] as string, coverage, database, soundFile, options.through);
    const choice = new SpecChoice(options.checkout, await readCoverage(coverage, roots[0] as string));
    const sound = options.trusted ? undefined : soundFile;
    const endsAt = performance.now() + options.seconds * 1000;
    const trials = roots.map((root) => new Trials(root, server, template, choice, sound, options.through, endsAt));
    const verdicts = new Verdicts(options.results);
    if (options.wide) await tryWide(trials, choice, verdicts, options, endsAt);
    else await tryEach(trials, drawn, verdicts, options, endsAt);
    verdicts.print(options.groups);
    // A sample of which nothing was tried was not tried as it should be; nor was one of which no test noticed anything, unless it is small.
    const tried = verdicts.all().filter(({ verdict }) => verdict !== 'invalid');
    if (options.count === 0) return 0;
    if (tried.length === 0 && performance.now() >= endsAt) {
      console.log('The specs of the first mutants take longer than the sample may');
      return 0;
    }
    if (tried.length < SMALL) return tried.length > 0 ? 0 : 1;
    return tried.some(({ verdict }) => verdict === 'killed') ? 0 : 1;
  } finally {
    await server.stop();
  }
}

async function tryEach(
  trials: Trials[],
  drawn: Map<string, SampledMutant[]>,
  verdicts: Verdicts,
  options: SampleOptions,
  endsAt: number,
): Promise<void> {
  const named = [...drawn.values()].flat().filter(({ id }) => options.mutants.includes(id));
  const queue = options.mutants.length > 0 ? named.values() : validOnes(drawn, options);
  const isKnown = (mutant: SampledMutant, trial: Trials) => {
    const known = verdicts.of(mutant.id)?.verdict;
    if (known === 'uncovered') return trial.nearest(mutant).length === 0;
    return known !== undefined && known !== 'unclear';
  };
  const work = async (trial: Trials) => {
    for (const mutant of queue) {
      if (performance.now() >= endsAt) return;
      if (options.mutants.length === 0 && isKnown(mutant, trial)) continue;
      const verdict = await trial.one(mutant, options.specs.length > 0 ? options.specs : undefined);
      if (!verdict || interruption.signal.aborted) return;
      verdicts.add(verdict);
      log(verdict);
    }
  };
  await Promise.all(trials.map(work));
}

/** The first mutants of each group that compile, one of each group in turn, and at most one a line. */
function* validOnes(drawn: Map<string, SampledMutant[]>, options: SampleOptions): Generator<SampledMutant, undefined> {
  const file = join(options.results, 'checked.txt');
  const checked = new Map(linesOf(file).map((line) => line.split(' ') as [string, string]));
  let check: TypeCheck | undefined;
  const isValid = ({ id, file: name, start, end, replacement }: SampledMutant) => {
    if (options.unchecked || name.endsWith('.sql')) return true;
    const known = checked.get(id);
    if (known) return known === 'valid';
    check ??= new TypeCheck(options.checkout);
    const text = readFileSync(join(options.checkout, name), 'utf8');
    const valid = check.passes(name, text.slice(0, start) + replacement + text.slice(end));
    appendFileSync(file, `${id} ${valid ? 'valid' : 'invalid'}\n`);
    return valid;
  };
  const lines = new Set<string>();
  const queues = options.groups.map((group) => (drawn.get(group) ?? []).values());
  for (let count = 0; count < options.count; count++)
    for (const queue of queues)
      for (let next = queue.next(); !next.done; next = queue.next()) {
        const place = `${next.value.file}:${next.value.line}`;
        if (lines.has(place) || !isValid(next.value)) continue;
        lines.add(place);
        yield next.value;
        break;
      }
}

/** Tries survivors of different files together with all specs that run their lines. */
async function tryWide(
  trials: Trials[],
  choice: SpecChoice,
  verdicts: Verdicts,
  options: SampleOptions,
  endsAt: number,
): Promise<void> {
  const tried = new Set(linesOf(join(options.results, 'wide.txt')));
  const left = verdicts
    .all()
    .filter(({ verdict, mutant }) => verdict === 'survived' && options.groups.includes(mutant.group))
    .filter(({ mutant }) => !tried.has(mutant.id));
  const together = Math.min(TOGETHER, Math.ceil(left.length / trials.length));
  const work = async (trial: Trials) => {
    while (left.length > 0 && performance.now() < endsAt) {
      const batch: Verdict[] = [];
      for (const verdict of [...left]) {
        if (batch.length === together || batch.some(({ mutant }) => mutant.file === verdict.mutant.file)) continue;
        batch.push(verdict);
        left.splice(left.indexOf(verdict), 1);
      }
      const specs = new Set(
        batch.flatMap(({ mutant, passed }) =>
          choice
            .of(mutant)
            .flat()
            .filter((spec) => !passed.includes(spec)),
        ),
      );
      const ordered = [...specs].sort((a, b) => choice.ms(a) - choice.ms(b));
      console.log(`${batch.length} survivors, ${ordered.length} specs`);
      const mutants = batch.map(({ mutant }) => mutant);
      const noticed = await trial.together(mutants, ordered);
      for (const verdict of noticed.values()) {
        verdicts.add(verdict);
        log(verdict);
      }
      if (interruption.signal.aborted || performance.now() >= endsAt) return;
      appendFileSync(join(options.results, 'wide.txt'), mutants.map(({ id }) => `${id}\n`).join(''));
    }
  };
  await Promise.all(trials.map(work));
}

function log({ mutant, verdict, spec, test, seconds }: Verdict): void {
  console.log(`${verdict} (${seconds} s) ${describeMutant(mutant)}${spec ? `\n    ${spec}: ${test}` : ''}`);
}

/** Migrates a new database with the checkout's own code. @returns its name */
async function createTemplate(root: string, url: string): Promise<string> {
  const name = `template_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
    const DATABASE_URL = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    const { status, stderr } = spawnSync(process.execPath, ['dist/apps/operator/src/migrate.js'], {
      cwd: root,
      env: { PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The checkout's migrations failed: ${stderr}`);
    await client.query(`alter database ${name} with allow_connections false`);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  } finally {
    await client.end();
  }
  return name;
}

/** Runs every spec whose coverage is not recorded yet, a few at a time, and keeps the names of those that pass. */
async function measure(
  root: string,
  folder: string,
  { url, template }: { url: string; template: string },
  soundFile: string,
  through: string | undefined,
): Promise<void> {
  const left = findSpecs(root).filter((spec) => !existsSync(join(coverageFolder(folder, spec), 'lines.json')));
  const own = join(process.cwd(), 'test', 'mutants', 'sample', 'coverage.environment.cjs');
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const report = join(root, 'measure-report.json');
  const options = [`--env=${own}`, '--testTimeout=120000', '--maxWorkers=2', '--silent'];
  options.push('--json', `--outputFile=${report}`, '--runTestsByPath');
  while (left.length > 0) {
    const words = ['--experimental-vm-modules', jest, ...options, ...left.splice(0, 8)];
    if (through) words.unshift(process.execPath);
    const child = spawn(through ?? process.execPath, words, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, MUTANTS_COVERAGE: folder, TEST_DATABASE_URL: url, TEST_TEMPLATE: template },
    });
    await once(child, 'exit');
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { name: string; status: string }[];
    };
    const passed = testResults.filter(({ status }) => status === 'passed');
    appendFileSync(soundFile, passed.map(({ name }) => `${relative(root, name)}\n`).join(''));
    await readCoverage(folder, root);
  }
}

void main(readSampleOptions()).then((code) => (process.exitCode = code));
