import { spawnSync } from 'node:child_process';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

describe('The completion of commands', () => {
  const script = async (shell: string) => (await operatorCommand(database, ['completion', shell])).stdout;

  it.each<[string[], string[]]>([
    [['cust'], ['customer']],
    [['customer', 'im'], ['import']],
    [['customer', 'limits', '--ai'], ['--ai-per-minute']],
    [['ticket', 'list', '--status', 'o'], ['open']],
    [
      ['ticket', 'list', '--format', ''],
      ['table', 'wide', 'json', 'csv'],
    ],
    [['customer', 'show', '--customer', 'x'], []],
    [['no-such', 'list', '--'], []],
  ])('in bash: %j', async (words, expected) => {
    const ask = `COMP_WORDS=(operator ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _operator; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${await script('bash')}\n${ask}`], { encoding: 'utf8' });
    expect({ stderr, words: stdout.trim().split(' ').filter(Boolean) }).toEqual({ stderr: '', words: expected });
  });

  it('in fish asks for a value only where an option takes one', async () => {
    const lines = (await script('fish')).split('\n');
    const option = (noun: string, verb: string, name: string) =>
      lines.find(
        (line) =>
          line.includes(`from ${noun}; and __fish_seen_subcommand_from ${verb}'`) && line.includes(` -l ${name} `),
      );
    expect(option('ticket', 'list', 'status')).toMatch(/ -l status -r -a 'open /);
    expect(option('customer', 'erase', 'customer')).toMatch(/ -l customer -r -d /);
    expect(option('customer', 'erase', 'dry-run')).toMatch(/ -l dry-run -d /);
  });

  it('in fish has each verb after its noun, with a description', async () => {
    const lines = (await script('fish')).split('\n');
    expect(lines).toContain("complete -c operator -f -n __fish_use_subcommand -a audit -d 'the audit log'");
    expect(lines).toContain(
      `complete -c operator -f -n '__fish_seen_subcommand_from customer; and test (count (commandline -opc)) -eq 2' -a import -d 'add the customers of a CSV file, all or none'`,
    );
  });

  it('in fish has a description of every command and option', async () => {
    const lines = (await script('fish')).split('\n').filter((line) => line.startsWith('complete '));
    expect(lines.length).toBeGreaterThan(500);
    expect(lines.filter((line) => !/ -d '.*\w.*'$/.test(line))).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'])('begins with how it is installed in %s, and in no other shell', async (shell) => {
    const lines = (await script(shell)).split('\n');
    expect(lines[0]).toMatch(`# operator completion ${shell} > ~/`);
    expect(lines.filter((line) => line.includes('operator completion '))).toHaveLength(1);
  });

  it('in zsh is that of bash, which zsh is told to run', async () => {
    const [, first, second, ...rest] = (await script('zsh')).split('\n');
    expect([first, second]).toEqual([
      'autoload -U +X compinit && compinit',
      'autoload -U +X bashcompinit && bashcompinit',
    ]);
    expect(rest).toEqual((await script('bash')).split('\n').slice(1));
  });

  it('has every noun in zsh and fish', async () => {
    for (const shell of ['zsh', 'fish'])
      for (const noun of ['customer', 'credit-request', 'secrets']) expect(await script(shell)).toContain(noun);
  });
});
