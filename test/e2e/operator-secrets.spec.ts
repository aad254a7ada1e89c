import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type CommandResult, operatorCommand } from '@test/operator-command';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';

const newKey = () => randomBytes(32).toString('base64');

describe('operator secrets reencrypt', () => {
  let database: TestDatabase;
  let superuser: Client;
  let customer: string;
  let endpoint: string;
  const [former, present] = [newKey(), newKey()];

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    customer = await saveAiCustomer(superuser, { model: await saveModelPrice(superuser), included: 50 });
    await saveAiCustomer(superuser, { model: await saveModelPrice(superuser), included: 50 });
    await operatorCommand(database, ['ai', 'configure', '--customer', customer, '--key-stdin'], {
      input: 'sk-customers-own-key',
      environment: { SECRETS_KEY: former },
    });
    const added = await operatorCommand(
      database,
      ['webhook', 'add', '--customer', customer, '--url', 'https://hooks.example.com/', '--json'],
      { environment: { SECRETS_KEY: former } },
    );
    endpoint = (JSON.parse(added.stdout) as { id: string }).id;
  });
  afterAll(async () => {
    await superuser.end();
    await database.drop();
  });

  /** The customer's provider key, and the secret of its webhook endpoint. */
  const all = (result: string) => [
    { secret: 'provider key', customer_id: customer, result },
    { secret: 'webhook endpoint', customer_id: customer, endpoint_id: endpoint, result },
  ];
  const reencrypt = (environment: Record<string, string>) =>
    operatorCommand(database, ['secrets', 'reencrypt', '--json'], { environment });
  const result = ({ stdout }: CommandResult) => JSON.parse(stdout) as unknown;
  const stored = async () =>
    (
      await superuser.query<{ key: string }>(
        `select encode(key_ciphertext, 'hex') as key from ai_settings where customer_id = $1`,
        [customer],
      )
    ).rows[0]?.key;

  it('fails for a key that opens under neither, and leaves it as it is', async () => {
    const before = await stored();
    const outcome = await reencrypt({ SECRETS_KEY: present, FORMER_SECRETS_KEY: newKey() });
    expect(result(outcome)).toEqual(all('unreadable'));
    expect(outcome.code).toBe(1);
    expect(await stored()).toBe(before);
  });

  it('encrypts keys under the present SECRETS_KEY, audited and once', async () => {
    const environment = { SECRETS_KEY: present, FORMER_SECRETS_KEY: former };
    expect(result(await reencrypt(environment))).toEqual(all('reencrypted'));
    expect(result(await reencrypt({ SECRETS_KEY: present }))).toEqual(all('up_to_date'));
    const { rows } = await superuser.query(`select action from audit_log where action = 'secrets.reencrypt'`);
    expect(rows).toHaveLength(2);
    expect((await reencrypt({ SECRETS_KEY: former })).code).toBe(1);
  });

  it('succeeds when what cannot be read was set anew: what was before is kept for its day, and then dropped', async () => {
    const environment = { SECRETS_KEY: newKey() };
    await operatorCommand(database, ['ai', 'configure', '--customer', customer, '--key-stdin'], {
      input: 'sk-customers-new-key',
      environment,
    });
    await operatorCommand(database, ['webhook', 'rotate-secret', '--endpoint', endpoint], { environment });
    const [key, secret] = [all('up_to_date')[0], all('former_unreadable')[1]];
    const outcome = await reencrypt(environment);
    expect(result(outcome)).toEqual([key, secret]);
    expect(outcome.code).toBe(0);
    // The key may be found again.
    expect(result(await reencrypt({ ...environment, FORMER_SECRETS_KEY: present }))).toMatchObject([
      key,
      { result: 'reencrypted' },
    ]);
    await superuser.query('update webhook_endpoint set former_secrets_until = array[app.now()]');
    expect(result(await reencrypt(environment))).toEqual(all('up_to_date'));
    const { rows } = await superuser.query("select from webhook_endpoint where former_secrets <> '{}'");
    expect(rows).toEqual([]);
  });
});
