import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from './compile-cache';
import type { TestDatabase } from './test-database';

const MAIN = join(process.cwd(), 'dist', 'apps', 'operator', 'src', 'main.js');
const HOST = join(process.cwd(), 'test', 'support', 'operator-host.mjs');
const LASTING = join(process.cwd(), 'test', 'support', 'lasting-process.cjs');

/** Exit code and output of a command. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Standard input and environment of a command. */
export interface CommandSurroundings {
  environment?: Record<string, string>;
  /** Its standard input. */
  input?: string;
  /** Whether its standard input is a terminal: then it asks. Not for {@link operatorProcess}. */
  terminal?: boolean;
}

/**
 * Runs the operator's compiled command line, in one process for all commands of a worker's spec files: loading the program takes
 * ten times as long as a command. Concurrent commands run one after another; see {@link operatorProcess}.
 */
export async function operatorCommand(
  database: TestDatabase,
  words: string[],
  { environment = {}, input = '', terminal = false }: CommandSurroundings = {},
): Promise<CommandResult> {
  // Of its own also beside those of the spec file before.
  const id = randomUUID();
  const current = operatorHost();
  return new Promise((resolve, reject) => {
    const stop = () => {
      current.off('message', take);
      current.off('exit', fail);
    };
    const take = (result: CommandResult & { id: string }) => {
      if (result.id !== id) return;
      stop();
      const { code, stdout, stderr } = result;
      resolve({ code, stdout, stderr });
    };
    const fail = () => {
      stop();
      reject(new Error(`The process that runs commands ended during: ${words.join(' ')}`));
    };
    current.on('message', take);
    current.on('exit', fail);
    current.send({ id, words, input, terminal, environment: environmentOf(database, environment) });
  });
}

/** Runs the operator's compiled command line as a separate process. */
export async function operatorProcess(
  database: TestDatabase,
  words: string[],
  { environment = {}, input = '' }: CommandSurroundings = {},
): Promise<CommandResult> {
  const env = { ...environmentOf(database, environment), ...compileCache };
  const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: 'pipe' });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, stdout, stderr };
}

function operatorHost(): ChildProcess {
  const { lastingProcess } = loadOncePerWorker(LASTING) as {
    lastingProcess: (path: string, environment: Record<string, string | undefined>) => ChildProcess;
  };
  return lastingProcess(HOST, { PATH: process.env.PATH, ...compileCache });
}

function environmentOf(database: TestDatabase, environment: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NODE_ENV: 'test', DATABASE_URL: database.url, ...environment };
}
