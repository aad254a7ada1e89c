import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestServer } from '../support/test-server';

/** Longer than any spec that runs alone; what hangs is noticed. */
const LIMIT_MS = 180_000;

/** What became of a run: a test failed or hung; all passed; or no test ran, or none failed and the run did. */
export type Outcome = { outcome: 'failed'; by: string } | { outcome: 'passed' } | { outcome: 'broken'; why: string };

/** Process groups of runs under way. */
const running = new Set<number | undefined>();

/** Ends what is under way. */
export function endRuns(): void {
  for (const group of running) end(group);
}

/** What the reporter writes. */
interface Report {
  failed?: string;
  passed?: number;
  broken?: string;
}

/** Runs specs in a tree, in one jest process, on a server that runs already. Without a template it makes its own. */
export async function runSpecs(
  root: string,
  { specs, test }: { specs: string[]; test?: string },
  server: TestServer,
  template: string | undefined,
): Promise<Outcome> {
  const file = join(root, 'mutant-report.json');
  rmSync(file, { force: true });
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const reporter = join(root, 'test', 'mutants', 'first-failure.reporter.cjs');
  const words = ['--experimental-vm-modules', '--no-warnings', jest, ...specs, '--runInBand', '--silent'];
  const child = spawn(
    process.execPath,
    [...words, `--reporters=${reporter}`, ...(test ? ['--testNamePattern', test] : [])],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, MUTANT_REPORT: file, TEST_SERVER_URL: server.url, TEST_TEMPLATE: template },
    },
  );
  running.add(child.pid);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)));
  const timer = setTimeout(() => end(child.pid), LIMIT_MS);
  const startedAt = performance.now();
  await once(child, 'exit');
  clearTimeout(timer);
  const late = performance.now() - startedAt >= LIMIT_MS;
  // Programs that the specs started and a failure left behind.
  end(child.pid);
  running.delete(child.pid);
  if (late) return { outcome: 'failed', by: `not ended after ${LIMIT_MS / 1000} s` };
  return judge(file, said);
}

function judge(file: string, said: string): Outcome {
  const report = read(file);
  if (report?.failed !== undefined) return { outcome: 'failed', by: report.failed };
  if (report?.broken !== undefined) return { outcome: 'broken', why: report.broken };
  return (report?.passed ?? 0) > 0 ? { outcome: 'passed' } : { outcome: 'broken', why: `No test ran. ${said}` };
}

function read(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/** Ends a process group that may be gone. */
function end(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch {
    // It is gone.
  }
}
