import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { nouns } from './commands/nouns';
import { wantsJson } from './options/global-options';
import { buildProgram, type Invocation } from './build-program';
import { usageError } from './command-error';

/** Runs the command that `process.argv` names. A failure is printed on standard error and sets the exit code. */
export async function runOperator(): Promise<void> {
  const words = process.argv.slice(2);
  const said: string[] = [];
  try {
    const program = buildProgram(nouns, programVersion(), execute, (text) => said.push(text));
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    // Loaded when needed, like everything that the help does not use.
    const { reportFailure } = await import('./output/failure.js');
    const failure = error instanceof CommanderError ? usageError(said.join('').replace(/^error: /, '')) : error;
    process.exitCode = reportFailure(failure, wantsJson(words));
  }
}

async function execute(invocation: Invocation): Promise<void> {
  const { command, values, common } = invocation;
  if ('text' in command) {
    process.stdout.write(command.text(nouns));
    return;
  }
  const { runCommand } = await import('./run-command.js');
  await runCommand(command, values, common);
}

/** Loads all that commands load, and goes as far as one gets without a database: fills the compile cache. */
export async function loadAll(): Promise<void> {
  const { loadCommands } = await import('./load-commands.js');
  await loadCommands(nouns);
}

/** The version in package.json, which is beside `dist` in the image, too. */
function programVersion(): string {
  const file = join(__dirname, '..', '..', '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
