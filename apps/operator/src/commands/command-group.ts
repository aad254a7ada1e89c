import { CommandRunner } from 'nest-commander';

/** A command that only groups subcommands: prints their help and fails. */
export abstract class CommandGroup extends CommandRunner {
  run(): Promise<void> {
    this.command.outputHelp({ error: true });
    process.exitCode = 1;
    return Promise.resolve();
  }
}
