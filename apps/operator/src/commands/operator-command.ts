import { userInfo } from 'node:os';
import { CommandRunner, Option } from 'nest-commander';
import { printResult } from '../output/print-result';

/** Base of all commands: runs `execute` and prints its result, with `--json` as one JSON value. */
export abstract class OperatorCommand<Options extends object = object> extends CommandRunner {
  /** The actor in the audit log. */
  protected readonly actor = `operator:${userInfo().username}`;

  async run(_arguments: string[], options: Options & { json?: boolean }): Promise<void> {
    printResult(await this.execute(options), options.json === true);
  }

  @Option({ flags: '--json', description: 'print one JSON value instead of a table' })
  parseJson(): boolean {
    return true;
  }

  /** Runs the command. The return value is printed. */
  protected abstract execute(options: Options): Promise<object>;
}
