import { CommanderError } from 'commander';
import { nouns } from './commands/nouns';
import { buildProgram, type Invocation } from './program/build-program';
import { usageError } from './program/command-error';
import { wantsJson } from './program/common-options';
import { programVersion } from './program/program-version';

/** Runs the command that `process.argv` names. A failure is printed on standard error and sets the exit code. */
export async function runOperator(): Promise<void> {
  const words = process.argv.slice(2);
  const said: string[] = [];
  try {
    const program = buildProgram(nouns, programVersion(), execute, (text) => said.push(text));
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    // Loaded when needed, like all that a command's help can do without.
    const { reportFailure } = await import('./output/report-failure.js');
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
  const { runCommand } = await import('./session/run-command.js');
  await runCommand(command, values, common);
}
