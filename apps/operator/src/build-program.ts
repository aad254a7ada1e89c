import { Command as Commander, Option } from 'commander';
import { ServiceError } from '@platform/errors';
import type { Command, Noun } from './commands/command';
import type { OptionDefinition } from './options/option';
import { COMMON_OPTIONS, type CommonOptions, commonOptions } from './options/global-options';
import { usageError } from './command-error';

/** A command with the values of its options. */
export interface Invocation {
  command: Command;
  values: Record<string, unknown>;
  common: CommonOptions;
}

/** The command line as a tree; `execute` runs the command. Its messages go to `say`, it never ends the process. */
export function buildProgram(
  nouns: readonly Noun[],
  version: string,
  execute: (invocation: Invocation) => Promise<void>,
  say: (text: string) => void,
): Commander {
  const program = new Commander('operator')
    .description('Runs the customer-account service: customers, tokens, AI credit, invoices, tickets, SMS, status.')
    .usage('<noun> <verb> [options]')
    .version(version, '--version', 'print the version')
    .exitOverride()
    .configureOutput({ writeErr: say })
    .addHelpText('after', '\nEvery command has examples: operator customer create --help');
  for (const noun of nouns) {
    const branch = program.command(noun.name).description(noun.description).usage('<verb> [options]');
    for (const command of noun.commands) addCommand(branch, noun, command, execute);
  }
  return program;
}

function addCommand(
  branch: Commander,
  noun: Noun,
  command: Command,
  execute: (invocation: Invocation) => Promise<void>,
): void {
  const needed = Object.values(command.options).filter(({ required }) => required);
  const leaf = branch
    .command(command.name, { isDefault: command.name === noun.usual })
    .description(command.description)
    .usage([...needed.map(({ flags }) => flags), '[options]'].join(' '));
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(command.options)) {
    const option = new Option(definition.flags, explained(definition.description, definition.parse.choices));
    names.set(name, option.attributeName());
    leaf.addOption(option);
  }
  for (const [flags, description, choices] of COMMON_OPTIONS) leaf.option(flags, explained(description, choices));
  const lines = command.examples.map((example) => `  operator ${noun.name} ${command.name} ${example}`.trimEnd());
  leaf.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  leaf.action(async () => {
    const given = leaf.opts<Record<string, string | boolean | undefined>>();
    const values = Object.entries(command.options).flatMap(([name, definition]) => {
      const text = given[names.get(name) ?? name];
      if (text !== undefined) return [[name, valueOf(definition, text)] as const];
      // Not left to the library, which would rather miss an option than say that another one is mistyped.
      if (definition.required) throw usageError(`required option '${definition.flags}' not specified`);
      return [];
    });
    await execute({
      command,
      values: Object.fromEntries(values),
      common: asUsage('--format', () => commonOptions(given)),
    });
  });
}

function valueOf(definition: OptionDefinition, given: string | boolean): unknown {
  return asUsage(definition.flags.split(' ')[0] ?? '', () => definition.parse(String(given)));
}

function asUsage<Value>(flag: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ServiceError ? usageError(`${flag}: ${error.detail}`) : error;
  }
}

function explained(description: string, choices?: readonly string[]): string {
  return choices ? `${description}: ${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}` : description;
}
