import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { nouns } from './commands/nouns';
import { buildProgram } from './build-program';

const lines = readFileSync(join(process.cwd(), 'test', 'containers', 'day.txt'), 'utf8')
  .trimEnd()
  .split('\n');
const day = lines.map((line) => line.split('\t') as [question: string, command: string]);

const program = buildProgram(
  nouns,
  '1.2.3',
  () => Promise.resolve(),
  () => undefined,
);

/** What a help has in a list: each term with its description. */
function listed(help: string): Map<string, string> {
  // A term that is longer than its column has its description on the next line, as far to the right.
  const entries = [...help.matchAll(/^ {2}(\S+(?: \S+)*?)(?: {2,}|\n {4,})(\S.*)$/gm)];
  return new Map(entries.flatMap(([, term = '', text = '']) => names(term).map((name) => [name, text] as const)));
}

/** The words by which a term is found: `-o, --format <format>` is `--format`, `list|ls [options]` is `list`. */
const names = (term: string) => term.match(/--[a-z0-9-]+|^[a-z-]+/g) ?? [];

const branch = (of: Command, name: string) => of.commands.find((one) => one.name() === name);

/** The commands of an operator's day (test/containers/day.txt), by help alone. */
describe("An operator's day", () => {
  it('is 45 questions, each with another command', () => {
    expect(day).toHaveLength(45);
    expect(new Set(day.map(([question]) => question)).size).toBe(45);
    expect(new Set(day.map(([, command]) => command)).size).toBe(45);
  });

  it.each(day)('%s', (_question, command) => {
    const [noun = '', verb = ''] = command.split(' ');
    expect(listed(program.helpInformation()).get(noun)).toMatch(/\w{4}/);
    const verbs = branch(program, noun);
    expect(listed(verbs?.helpInformation() ?? '').get(verb)).toMatch(/\w{3}/);
    const options = listed((verbs && branch(verbs, verb))?.helpInformation() ?? '');
    for (const [option] of command.replaceAll(/'[^']*'/g, '').matchAll(/--[a-z0-9-]+/g)) {
      expect({ option, text: options.get(option) }).toEqual({ option, text: expect.stringMatching(/\w{2}/) });
    }
  });

  it('misses a command that no help has', () => {
    expect(listed(program.helpInformation()).get('paint')).toBeUndefined();
    expect(listed(branch(program, 'ticket')?.helpInformation() ?? '').get('--search')).toBeUndefined();
  });
});
