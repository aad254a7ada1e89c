import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestServer } from '../support/test-server';

/** Longer than any spec that runs alone; a run that hangs counts as noticed. */
const LIMIT_MS = 180_000;

/** Result of a run: a test failed, or the run was ended; all passed; or no test ran, or it failed without a failed test. */
export type Outcome =
  | { outcome: 'failed'; by: string; spec?: string; why?: string }
  | { outcome: 'passed' }
  | { outcome: 'broken'; why: string; spec?: string };

/** Process groups of runs in progress. */
const running = new Set<number | undefined>();

/** Kills all runs in progress. */
export function endRuns(): void {
  for (const group of running) end(group);
}

/** The reporter's result. */
interface Report {
  failed?: string;
  passed?: number;
  broken?: string;
  /** Path of the spec that failed, or of the one that runs. */
  spec?: string;
  /** What it said. */
  why?: string;
}

/** Specs to run. */
export interface Run {
  /** Parts of their paths. */
  specs: string[];
  /** Runs only the tests whose names match. */
  test?: string;
  /** Whether `specs` are whole paths, which are run in their order. */
  inOrder?: boolean;
  /** Milliseconds that a test may take, if not what its spec says. */
  testTimeout?: number;
  /** Milliseconds after which the run is ended. */
  limit?: number;
  /** A command that runs the command behind it, such as one that waits for a lock. */
  through?: string;
}

/** Runs specs in a tree, in one jest process, on a running server. Without a template it creates its own. */
export async function runSpecs(
  root: string,
  { specs, test, inOrder, testTimeout, limit = LIMIT_MS, through }: Run,
  server: TestServer,
  template: string | undefined,
): Promise<Outcome> {
  const file = join(root, 'mutant-report.json');
  rmSync(file, { force: true });
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const reporter = join(process.cwd(), 'test', 'mutants', 'first-failure.reporter.cjs');
  const words = ['--experimental-vm-modules', '--no-warnings', jest, ...specs, '--runInBand', '--silent'];
  words.push(`--reporters=${reporter}`);
  if (test) words.push('--testNamePattern', test);
  if (testTimeout) words.push(`--testTimeout=${testTimeout}`);
  if (inOrder)
    words.push(
      `--testSequencer=${join(process.cwd(), 'test', 'mutants', 'given-order.sequencer.cjs')}`,
      '--runTestsByPath',
    );
  if (through) words.unshift(process.execPath);
  const child = spawn(through ?? process.execPath, words, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      MUTANT_REPORT: file,
      MUTANT_SPECS: specs.join('\n'),
      TEST_DATABASE_URL: server.url,
      TEST_TEMPLATE: template,
    },
  });
  running.add(child.pid);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)));
  const timer = setTimeout(() => end(child.pid), limit);
  const startedAt = performance.now();
  await once(child, 'exit');
  clearTimeout(timer);
  const late = performance.now() - startedAt >= limit;
  // Kills programs that the specs started and a failure left running.
  end(child.pid);
  running.delete(child.pid);
  if (late) return { outcome: 'failed', by: `not ended after ${Math.round(limit / 1000)} s`, spec: read(file)?.spec };
  return judge(file, said);
}

function judge(file: string, said: string): Outcome {
  const report = read(file);
  const { spec, why } = report ?? {};
  if (report?.failed !== undefined) return { outcome: 'failed', by: report.failed, spec, why };
  if (report?.broken !== undefined) return { outcome: 'broken', why: report.broken, spec };
  return (report?.passed ?? 0) > 0 ? { outcome: 'passed' } : { outcome: 'broken', why: `No test ran. ${said}`, spec };
}

function read(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/** Kills a process group, if it exists. */
function end(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch {
    // It is gone.
  }
}
