import { CommandRunner } from 'nest-commander';

/** A noun: shows the verbs it has, and fails, since nothing was done. */
export abstract class CommandGroup extends CommandRunner {
  run(): Promise<void> {
    this.command.outputHelp({ error: true });
    process.exitCode = 1;
    return Promise.resolve();
  }
}
