import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { compileCache } from '@test/compile-cache';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';

const MIGRATE = join(process.cwd(), 'dist', 'apps', 'operator', 'src', 'migrate.js');
const newKey = () => randomBytes(32).toString('base64');

// Programs are started one after the other, beside other specs.
jest.setTimeout(240_000);

describe('Migrations with a SECRETS_KEY that is not the data’s', () => {
  let database: TestDatabase;
  let superuser: Client;
  const right = newKey();
  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
  });
  afterAll(async () => {
    await superuser.end();
    await database.drop();
  });

  const migrate = async (secrets: Record<string, string>) => {
    const { PATH } = process.env;
    const { DATABASE_URL } = database.config;
    const env = { PATH, NODE_ENV: 'test', DATABASE_URL, ...compileCache, ...secrets };
    return promisify(execFile)(process.execPath, [MIGRATE], { env });
  };

  it('say so only while there are keys that it does not open', async () => {
    expect(await migrate({ SECRETS_KEY: newKey() })).toEqual({ stdout: 'Nothing to migrate\n', stderr: '' });
    const model = await saveModelPrice(superuser);
    for (const key of ['sk-first', 'sk-second'])
      await operatorCommand(
        database,
        ['ai', 'configure', '--customer', await saveAiCustomer(superuser, { model, included: 50 }), '--key-stdin'],
        { input: key, environment: { SECRETS_KEY: right } },
      );
    expect(await migrate({ SECRETS_KEY: right })).toMatchObject({ stderr: '' });
    expect(await migrate({ SECRETS_KEY: newKey(), FORMER_SECRETS_KEY: right })).toMatchObject({ stderr: '' });
    const { stdout, stderr } = await migrate({ SECRETS_KEY: newKey() });
    expect(stdout).toBe('Nothing to migrate\n');
    expect(stderr).toContain('SECRETS_KEY does not fit the data: 2 of 2 provider keys');
    expect((await migrate({})).stderr).toContain('SECRETS_KEY does not fit the data: 2 of 2 provider keys');
  });

  it('tell the secrets of webhook endpoints from provider keys, and count those alone that it does not open', async () => {
    const other = newKey();
    for (const key of [right, other]) {
      const { id } = await saveFakeCustomer(superuser);
      const add = ['webhook', 'add', '--customer', id, '--url', 'https://hooks.example.com/'];
      expect(await operatorCommand(database, add, { environment: { SECRETS_KEY: key } })).toMatchObject({ code: 0 });
    }
    const { stderr } = await migrate({ SECRETS_KEY: right });
    expect(stderr).toMatch(/^SECRETS_KEY does not fit the data: 1 of 2 secrets of webhook endpoints .*\n$/);
    expect(await migrate({ SECRETS_KEY: right, FORMER_SECRETS_KEY: other })).toMatchObject({ stderr: '' });
    const both = (await migrate({ SECRETS_KEY: newKey() })).stderr;
    expect(both).toContain('2 of 2 secrets of webhook endpoints');
    expect(both).toContain('2 of 2 provider keys');
  });
});
