import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestDatabase } from './test-database';

const MAIN = join(process.cwd(), 'dist', 'apps', 'operator', 'src', 'main.js');

/** Runs the operator's command line as the operator does: the compiled program, in a process of its own. */
export async function operatorCommand(
  database: TestDatabase,
  words: string[],
  { environment = {}, input = '' }: { environment?: Record<string, string>; input?: string } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH, NODE_ENV: 'test', DATABASE_URL: database.url, ...environment },
    stdio: 'pipe',
  });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, stdout, stderr };
}
