import { randomBytes } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

jest.setTimeout(240_000);
const database = useTestDatabase();

describe('Every action of an operator names a person', () => {
  const production = { NODE_ENV: 'production', SECRETS_KEY: randomBytes(32).toString('base64') };
  let customer: string;
  beforeAll(async () => {
    customer = (await saveFakeCustomer(database.superuser)).id;
  });
  const activate = (environment: Record<string, string>, ...more: string[]) =>
    operatorCommand(database, ['customer', 'activate', '--customer', customer, ...more], { environment });
  const actors = async () =>
    (
      await database.superuser.query<{ actor: string }>(
        'select actor from audit_log where customer_id = $1 order by created_at',
        [customer],
      )
    ).rows.map(({ actor }) => actor);

  it('by --as, before OPERATOR_NAME; in development by the name of the system user', async () => {
    await activate(production, '--as', 'Kari Nordmann');
    await activate({ ...production, OPERATOR_NAME: 'ola' });
    await activate({ ...production, OPERATOR_NAME: 'ola' }, '--as', 'åse@drift.example');
    await activate({});
    const [first, second, third, system] = await actors();
    expect([first, second, third]).toEqual(['operator:Kari Nordmann', 'operator:ola', 'operator:åse@drift.example']);
    expect(system).toMatch(/^operator:[\w.-]+$/);
    const listed = await operatorCommand(database, ['audit', 'list', '--by', 'ola', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ actor: 'operator:ola', customer_id: customer }]);
  });

  it('or in production nothing is done, but for reading', async () => {
    const before = (await actors()).length;
    const refused = await activate(production);
    expect(refused).toMatchObject({ code: 7, stdout: '', stderr: expect.stringMatching(/^Who are you\?.*\n$/) });
    expect(JSON.parse((await activate(production, '--json')).stderr)).toMatchObject({ error: { code: 'unnamed' } });
    expect(await actors()).toHaveLength(before);
    const read = ['customer', 'show', '--customer', customer];
    expect(await operatorCommand(database, read, { environment: production })).toMatchObject({ code: 0 });
  });

  it.each(['', ' ', 'a\nb', '\u001b[2J', 'x'.repeat(65), '-kari', 'a\u202eb', 'a:b'])(
    'and no name is %j',
    async (name) => {
      const before = (await actors()).length;
      expect(await activate(production, '--as', name)).toMatchObject({ code: 2, stdout: '' });
      expect(await actors()).toHaveLength(before);
    },
  );
});

describe('A command that cannot be undone', () => {
  it('asks at a terminal, and only there', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const ask = async () =>
      (
        await database.superuser.query<{ id: number }>(
          'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 1000, now()) returning id',
          [id],
        )
      ).rows[0]!.id;
    const approve = async (input: string, terminal: boolean, ...more: string[]) =>
      operatorCommand(database, ['credit-request', 'approve', '--id', String(await ask()), ...more], {
        input,
        terminal,
      });
    expect(await approve('n\n', true)).toMatchObject({ code: 8, stderr: expect.stringContaining('Go on? [y/N]') });
    expect(await approve('', true)).toMatchObject({ code: 8 });
    expect(await approve('yes\n', true)).toMatchObject({ code: 0 });
    expect(await approve('', true, '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await approve('', false)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('A mistyped command', () => {
  it.each([
    [['custmer', 'list'], 'Did you mean customer?'],
    [['customer', 'lst'], 'Did you mean list?'],
    [['token', 'list', '--custmer', '1'], 'Did you mean --customer?'],
    [['token', 'list'], '--customer'],
    [['token', 'list', '--customer', '1', 'more'], 'too many arguments'],
    [['customer', 'list', '--format', 'xml'], '--format: xml is not one of table, wide, json, csv'],
  ])('is answered with its fault, or the intended word: %j', async (words, message) => {
    expect(await operatorCommand(database, words)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    const { stderr } = await operatorCommand(database, [...words, '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', exit_code: 2 } });
  });

  it('shows the version of the package', async () => {
    const { stdout } = await operatorCommand(database, ['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
