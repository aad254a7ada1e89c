import { operatorCommand } from '../operator-command';
import type { TestDatabase } from '../test-database';

/** The operator's commands, such as `customer create`, each with the options that its help shows. */
export async function operatorCommands(database: TestDatabase): Promise<Map<string, string[]>> {
  const commands = new Map<string, string[]>();
  for (const noun of subcommands(await help(database)))
    for (const verb of subcommands(await help(database, noun)))
      commands.set(`${noun} ${verb}`, options(await help(database, noun, verb)));
  return commands;
}

async function help(database: TestDatabase, ...words: string[]): Promise<string> {
  const { stdout } = await operatorCommand(database, [...words, '--help']);
  return stdout;
}

function subcommands(text: string): string[] {
  const [, list = ''] = text.split('\nCommands:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)\b/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'help');
}

function options(text: string): string[] {
  return [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm)].map(([, name = '']) => name);
}
