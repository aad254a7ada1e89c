import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from './compile-cache';
import type { TestDatabase } from './test-database';

const MAIN = join(process.cwd(), 'dist', 'apps', 'operator', 'src', 'main.js');
const HOST = join(process.cwd(), 'test', 'support', 'operator-host.mjs');

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

let host: ChildProcess | undefined;
let commands = 0;
afterAll(() => void host?.disconnect());

/**
 * Runs the operator's compiled command line, in one process for all commands of a spec file: loading the program takes
 * ten times as long as a command. Concurrent commands run one after another; see {@link operatorProcess}.
 */
export async function operatorCommand(
  database: TestDatabase,
  words: string[],
  { environment = {}, input = '', terminal = false }: CommandSurroundings = {},
): Promise<CommandResult> {
  host ??= startHost();
  const id = ++commands;
  const current = host;
  return new Promise((resolve, reject) => {
    const stop = () => {
      current.off('message', take);
      current.off('exit', fail);
    };
    const take = (result: CommandResult & { id: number }) => {
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

function startHost(): ChildProcess {
  const started = fork(HOST, { env: { PATH: process.env.PATH, ...compileCache }, execArgv: [] });
  // One listener for each command in progress.
  started.setMaxListeners(0);
  started.on('exit', () => (host = undefined));
  return started;
}

function environmentOf(database: TestDatabase, environment: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NODE_ENV: 'test', DATABASE_URL: database.url, ...environment };
}
