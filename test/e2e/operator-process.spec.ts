import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorProcess } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

/** Tests of the operator's program that need a separate process; other specs run the commands in one process. */
describe("The operator's command line as a program", () => {
  it('prints one JSON value and ends with 0', async () => {
    const { id, name } = await saveFakeCustomer(database.superuser);
    const { code, stdout, stderr } = await operatorProcess(database, ['customer', 'show', '--customer', id, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ id, name });
  }, 240_000);

  it('loads no framework before a command runs: help would take as long as a command', () => {
    const script = `require('./dist/apps/operator/src/run-operator.js');
      JSON.stringify(Object.keys(require.cache).flatMap((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1] ?? []))`;
    const packages = JSON.parse(execFileSync(process.execPath, ['-p', script], { encoding: 'utf8' })) as string[];
    expect([...new Set(packages)].sort()).toEqual(['commander', 'decimal.js']);
  });

  it('ends without a word when nobody reads on, as head does', () => {
    const line = `"${process.execPath}" dist/apps/operator/src/main.js completion fish | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  it.each<[string, string[], unknown]>([
    ['a line', [], expect.stringMatching(/^The result cannot be written \(ENOSPC\)\. .*: operator audit list\n$/)],
    ['JSON', ['--json'], expect.stringMatching(/^\{"error":\{"code":"internal_error","message":"The result cannot/)],
  ])('says in %s that its result cannot be written, as on a full disk', (_form, words, said) => {
    const line = `"${process.execPath}" dist/apps/operator/src/main.js completion fish "$@" >/dev/full`;
    const { status, stderr } = spawnSync('bash', ['-c', line, 'operator', ...words], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: said });
  });

  it('reads a key from standard input', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const { code, stdout } = await operatorProcess(
      database,
      ['ai', 'configure', '--customer', id, '--key-stdin', '--json'],
      { input: 'sk-secret-of-customer\n', environment: { SECRETS_KEY: randomBytes(32).toString('base64') } },
    );
    expect({ code, configured: JSON.parse(stdout) }).toMatchObject({ code: 0, configured: { own_key: true } });
    expect(stdout).not.toContain('sk-secret');
  }, 240_000);

  it.each<[string, number, string[], Record<string, string>, RegExp]>([
    ['a missing option', 2, ['token', 'issue'], {}, /--customer/],
    ['a noun alone', 2, ['token'], {}, /rotate/],
    ['a missing record', 3, ['credit-request', 'approve', '--id', '999999'], {}, /999999/],
    [
      'a database that is away',
      5,
      ['customer', 'list'],
      { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
      /^The database does not answer.*\n$/,
    ],
    ['a setting that is wrong', 9, ['customer', 'list'], { LOG_LEVEL: 'loud' }, /^LOG_LEVEL: .*\n$/],
  ])(
    'for %s ends with %i, and says why on standard error alone',
    async (_name, expected, words, environment, message) => {
      const { code, stdout, stderr } = await operatorProcess(database, words, { environment });
      expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at |QueryFailed|node_modules/m);
    },
    240_000,
  );
});
