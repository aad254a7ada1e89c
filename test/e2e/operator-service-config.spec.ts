import { randomBytes } from 'node:crypto';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const FIKEN_TOKEN = 'a-token-of-no-known-form';
const STRIPE_KEY = `rk_live_${randomBytes(24).toString('hex')}`;
const SERVICE_TOKEN = `cas_live_${'0aB'.repeat(16)}0`;
const PROVIDER_KEY = `sk-ant-api03-${randomBytes(40).toString('base64url')}`;
const PRIVATE_KEY = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n';

const database = useTestDatabase();

describe("A service's config, which its customer is shown", () => {
  let customer: string;
  beforeAll(async () => {
    customer = (await saveFakeCustomer(database.superuser)).id;
  });

  const run = (...words: string[]) => operatorCommand(database, words, { environment: { FIKEN_TOKEN } });
  const add = (config: unknown) =>
    run(
      'service',
      'add',
      '--customer',
      customer,
      '--type',
      'hosting',
      '--name',
      'Web',
      '--config',
      JSON.stringify(config),
      '--json',
    );

  it.each<[string, string, Record<string, unknown>, string]>([
    ['a service token', SERVICE_TOKEN, { token: SERVICE_TOKEN }, 'config.token'],
    ['a provider key', PROVIDER_KEY, { a: { b: [1, { c: PROVIDER_KEY }] } }, 'config.a.b.1.c'],
    ['a Stripe key within a text', STRIPE_KEY, { note: `Use ${STRIPE_KEY}, please` }, 'config.note'],
    ['a private key', PRIVATE_KEY, { tls: { key: PRIVATE_KEY } }, 'config.tls.key'],
    ['a configured secret of any form', FIKEN_TOKEN, { x: [FIKEN_TOKEN] }, 'config.x.0'],
    ['a secret as a name', PROVIDER_KEY, { keys: { [PROVIDER_KEY]: true } }, 'A name in config.keys'],
    ['an address with a password', 'hunter2', { url: 'https://me:hunter2@host.example/' }, 'config.url'],
  ])('never holds %s: add and update refuse it, without repeating it', async (_, secret, config, place) => {
    const existing = JSON.parse((await add({ plan: 'small' })).stdout) as { id: number };
    const before = await stored();
    const update = run('service', 'update', '--service', String(existing.id), '--config', JSON.stringify(config));
    for (const { code, stdout, stderr } of [await add(config), await update]) {
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain(place);
      expect(stderr).not.toContain(secret);
    }
    expect(await stored()).toEqual(before);
  });

  it('holds a text that only resembles one', async () => {
    const config = {
      model: 'claude-opus-5',
      monthly_included_nok: 100,
      domain: 'example.com',
      invoice_id: '01983f4e-7a3c-7e2b-9d51-0242ac120002',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8X me@example.com',
      nested: [{ on: true, none: null, commit: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' }],
    };
    const { code, stdout } = await add(config);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ config });
  });

  const stored = async () =>
    (
      await database.superuser.query('select id, config from customer_service where customer_id = $1 order by id', [
        customer,
      ])
    ).rows;
});

describe("The included credit in an ai service's config", () => {
  const run = async (...words: string[]) => operatorCommand(database, [...words, '--json']);
  const read = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown> & { id: number };
  };
  const aiCustomer = async (...options: string[]) => {
    const { id } = await saveFakeCustomer(database.superuser);
    await read('ai', 'configure', '--customer', id, '--enabled', 'true', ...options);
    return id;
  };
  const add = (customer: string, credit: unknown) => [
    ...['service', 'add', '--customer', customer, '--type', 'ai', '--name', 'AI'],
    ...['--config', JSON.stringify({ monthly_included_nok: credit })],
  ];
  const update = (service: number, credit: unknown) => [
    ...['service', 'update', '--service', String(service)],
    ...['--config', JSON.stringify({ monthly_included_nok: credit })],
  ];
  const shown = async (customer: string) => {
    const account = await read('ai', 'show', '--customer', customer);
    return [account.included_this_month_nok, account.included_from_next_month_nok].map(Number);
  };

  it('is granted at once when it is added or raised, and lowered from the next month on', async () => {
    const customer = await aiCustomer();
    const { id } = await read(...add(customer, 100));
    expect(await shown(customer)).toEqual([100, 100]);
    await read(...update(id, 150));
    expect(await shown(customer)).toEqual([150, 150]);
    await read(...update(id, 20));
    expect(await shown(customer)).toEqual([150, 20]);
    expect(await granted(customer)).toEqual([100, 50]);
  });

  it('is lowered from the next month on, also before the account has begun the present one', async () => {
    await setDatabaseClock(database.superuser, { standsAt: '2026-11-15T12:00:00Z' });
    const customer = await aiCustomer('--included-nok', '100');
    const [service] = (await database.superuser.query<{ id: number }>(SERVICES, [customer])).rows;
    await setDatabaseClock(database.superuser, { standsAt: '2026-12-05T12:00:00Z' });
    await read(...update(service!.id, 30));
    expect(await shown(customer)).toEqual([100, 30]);
    await setDatabaseClock(database.superuser, 'right');
  });

  it.each(['lots', -1, 1e12])('is a number from 0 to 1,000,000,000, not %j', async (credit) => {
    const customer = await aiCustomer();
    const { id } = await read(...add(customer, 100));
    for (const words of [add(customer, credit), update(id, credit)]) {
      const { code, stdout, stderr } = await run(...words);
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain('monthly_included_nok must be a number from 0 to 1000000000');
    }
    expect((await database.superuser.query(SERVICES, [customer])).rows).toEqual([
      { id, config: { monthly_included_nok: 100 } },
    ]);
  });

  const SERVICES = 'select id, config from customer_service where customer_id = $1 order by id';
  const granted = async (customer: string) =>
    (
      await database.superuser.query<{ amount: number }>(
        `select amount::float from ai_ledger_entry where customer_id = $1 and kind = 'monthly_included' order by sequence`,
        [customer],
      )
    ).rows.map(({ amount }) => amount);
});
