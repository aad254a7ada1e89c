import { userInfo } from 'node:os';
import { CommandRunner, Option } from 'nest-commander';
import { printResult } from '../output/print-result';

/** A command: does one thing and prints what came of it. `--json` prints one JSON value. */
export abstract class OperatorCommand<Options extends object = object> extends CommandRunner {
  /** Who the audit log says did it. */
  protected readonly actor = `operator:${userInfo().username}`;

  async run(_arguments: string[], options: Options & { json?: boolean }): Promise<void> {
    printResult(await this.execute(options), options.json === true);
  }

  @Option({ flags: '--json', description: 'print one JSON value instead of a table' })
  parseJson(): boolean {
    return true;
  }

  /** Does it. What it returns is printed. */
  protected abstract execute(options: Options): Promise<object>;
}
