import { userInfo } from 'node:os';
import { CommandRunner, Option } from 'nest-commander';
import type { OptionDefinitions, Values } from '../options/option';
import { Listing } from '@platform/pagination';
import { CsvOutput } from '../output/csv-output';
import { printResult } from '../output/print-result';

/** Stands for null on the way through the command line, which would turn null into an empty text. */
const NOTHING = Symbol();

type Given<Options> = { [Name in keyof Options]: Options[Name] | typeof NOTHING } & { json?: boolean };

/** Base of all commands: runs `execute` and prints its result, with `--json` as one JSON value. */
export abstract class OperatorCommand<Options extends object = object> extends CommandRunner {
  /** The actor in the audit log. */
  protected readonly actor = `operator:${userInfo().username}`;

  async run(_arguments: string[], { json, ...given }: Given<Options>): Promise<void> {
    const options = Object.entries(given).map(([name, value]) => [name, value === NOTHING ? null : value]);
    await print(await this.execute(Object.fromEntries(options) as Options), json === true);
  }

  @Option({ flags: '--json', description: 'print one JSON value instead of a table' })
  parseJson(): boolean {
    return true;
  }

  /** Runs the command. The return value is printed. */
  protected abstract execute(options: Options): Promise<object>;
}

/** Prints a result on standard output. That a list goes on is said on standard error. */
async function print(result: object, asJson: boolean): Promise<void> {
  if (result instanceof CsvOutput) return result.print();
  if (!(result instanceof Listing)) return printResult(result, asJson);
  printResult(result.rows, asJson);
  if (result.next === null) return;
  process.stderr.write(`There is more: continue with --after ${result.next}, or raise --limit\n`);
}

/** Base of a command with these options. */
export function commandWith<Definitions extends OptionDefinitions>(
  definitions: Definitions,
): abstract new () => OperatorCommand<Values<Definitions>> {
  abstract class CommandWithOptions extends OperatorCommand<Values<Definitions>> {}
  for (const [name, { flags, description, required, parse }] of Object.entries(definitions)) {
    // nest-commander looks for the options in decorated methods, the inherited ones included.
    const method = { value: (text: string) => parse(text) ?? NOTHING, configurable: true };
    Object.defineProperty(CommandWithOptions.prototype, `parse-${name}`, method);
    Option({ name, flags, description, required })(CommandWithOptions.prototype, `parse-${name}`, method);
  }
  return CommandWithOptions;
}
