import type { Command } from 'commander';
import { nouns } from './commands/nouns';
import { buildProgram, type Invocation } from './build-program';

const commands = nouns.flatMap((noun) =>
  noun.commands.map((command) => ({ name: `${noun.name} ${command.name}`, command })),
);
const examples = commands.flatMap(({ name, command }) => command.examples.map((example) => [name, example] as const));

/** The words of a line as a shell splits it, without redirections. */
const words = (line: string) =>
  [...line.replace(/ < .*/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );

async function parse(line: string): Promise<Invocation[]> {
  const invocations: Invocation[] = [];
  const execute = async (invocation: Invocation) => void invocations.push(invocation);
  await buildProgram(nouns, '1.2.3', execute, () => undefined).parseAsync(words(line), { from: 'user' });
  return invocations;
}

describe('the command line', () => {
  it.each(examples)('understands the example %s %s', async (name, example) => {
    const [invocation, ...others] = await parse(`${name} ${example}`);
    expect(others).toEqual([]);
    expect(commands.find(({ command }) => command === invocation?.command)?.name).toBe(name);
    expect(Object.values(invocation?.values ?? {})).not.toContain(undefined);
  });

  it.each(commands.map(({ name, command }) => [name, command] as const))(
    'takes --as, --yes, --json, --csv and --format: %s',
    async (name, { examples: [example] }) => {
      const common = async (more: string) => (await parse(`${name} ${example} ${more}`))[0]?.common;
      expect(await common('--as "Kari Nordmann" --yes --json')).toEqual({
        as: 'Kari Nordmann',
        yes: true,
        output: 'json',
      });
      expect(await common('--csv')).toEqual({ yes: false, output: 'csv' });
      expect(await common('-o wide')).toEqual({ yes: false, output: 'wide' });
    },
  );

  it('says in a few words what each noun, command and option is for', () => {
    const program = buildProgram(
      nouns,
      '1.2.3',
      () => Promise.resolve(),
      () => undefined,
    );
    const unsaid = (command: Command): string[] => [
      ...(/\w{3}/.test(command.description()) ? [] : [command.name()]),
      ...command.options.flatMap(({ long, description }) =>
        /\w{2}/.test(description) ? [] : [`${command.name()} ${long}`],
      ),
      ...command.commands.flatMap(unsaid),
    ];
    expect(program.commands.length).toBeGreaterThan(10);
    expect(program.commands.flatMap(unsaid)).toEqual([]);
  });

  it('has a question for each command that cannot be undone', async () => {
    const questions = await Promise.all(
      examples.map(async ([name, example]) => {
        const { command, values } = (await parse(`${name} ${example}`))[0]!;
        return 'confirm' in command && command.confirm?.(values) ? [name] : [];
      }),
    );
    expect([...new Set(questions.flat())]).toEqual(
      expect.arrayContaining(['token deactivate', 'credit-request approve', 'invoice unlink', 'ai credit']),
    );
  });
});
