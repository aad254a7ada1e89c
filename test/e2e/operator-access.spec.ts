import { hashToken } from '@platform/tokens';
import { saveFakeService } from '@test/factories/service.factory';
import { fakeOrganizationNumber } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

/** One JSON value of a command. */
type Json = Record<string, unknown>;

const database = useTestDatabase();

describe("The operator's command line: customers, tokens, services, status, audit", () => {
  const run = (...words: string[]) => operatorCommand(database, words);
  /** Runs a command that must succeed. @returns its only output, one JSON value */
  async function json<Result = Json>(...words: string[]): Promise<Result> {
    const { code, stdout, stderr } = await run(...words, '--json');
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
    return JSON.parse(stdout) as Result;
  }
  const createCustomer = (name = 'Fjordlys AS') =>
    json<{ id: string }>(
      'customer',
      'create',
      '--name',
      name,
      '--org-number',
      fakeOrganizationNumber(),
      '--email',
      'it@fjordlys.example',
    );
  const actions = async (customer: unknown) =>
    (
      await database.superuser.query<{ action: string }>(
        'select action from audit_log where customer_id = $1 order by created_at',
        [customer],
      )
    ).rows.map(({ action }) => action);

  it('goes the whole way: customer, limits, token, service, event; each change audited', async () => {
    const { id } = await createCustomer();
    expect(await json('customer', 'limits', '--customer', id, '--requests-per-minute', '7')).toMatchObject({
      requests_per_minute: 7,
    });
    const token = await json<{
      id: string;
      token: string;
    }>('token', 'issue', '--customer', id, '--scopes', 'ai:read,status:read');
    expect(token).toMatchObject({ customer_id: id, scopes: ['ai:read', 'status:read'], expires_at: null });
    const { rows } = await database.superuser.query('select from service_token where token_hash = $1', [
      hashToken(token.token),
    ]);
    expect(rows).toHaveLength(1);
    const next = await json<{ id: string }>('token', 'rotate', '--token', token.id, '--grace-hours', '0');
    await json('token', 'deactivate', '--token', next.id);
    const listed = await json<Json[]>('token', 'list', '--customer', id);
    expect(listed.map(({ id: own, active }) => [own, active])).toEqual([
      [next.id, false],
      [token.id, true],
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/cas_live_|hash/);
    const metadata = async (action: string) =>
      (
        await database.superuser.query('select metadata from audit_log where customer_id = $1 and action = $2', [
          id,
          action,
        ])
      ).rows;
    expect(await metadata('customer.limits')).toEqual([{ metadata: { requests_per_minute: 7 } }]);
    const rotation = { token_id: token.id, new_token_id: next.id, grace_hours: 0 };
    expect(await metadata('token.rotate')).toEqual([{ metadata: rotation }]);
    const service = await json<{ id: number }>(
      'service',
      'add',
      '--customer',
      id,
      '--type',
      'hosting',
      '--name',
      'Web',
      '--config',
      '{"disk_gb":50}',
    );
    const other = await saveFakeService(database.superuser, id);
    await json('service', 'update', '--service', String(service.id), '--status', 'suspended');
    expect(await json<Json[]>('service', 'list', '--customer', id)).toMatchObject([
      { id: other.id, status: other.status },
      { id: service.id, status: 'suspended' },
    ]);
    const event = await json<{ id: string }>(
      'status',
      'post',
      '--service',
      String(service.id),
      '--status',
      'outage',
      '--message',
      'Down',
    );
    expect(await json('status', 'end', '--event', event.id)).toMatchObject({
      id: event.id,
      ends_at: expect.any(String),
    });
    await json('customer', 'deactivate', '--customer', id);
    expect(await json('customer', 'show', '--customer', id)).toMatchObject({
      id,
      active: false,
      customer_number: expect.stringMatching(/^\d+$/),
    });
    expect(await actions(id)).toEqual(
      [
        'customer.create',
        'customer.limits',
        'token.issue',
        'token.rotate',
        'token.deactivate',
        'service.add',
        'service.update',
      ].concat(['status.post', 'status.end', 'customer.deactivate']),
    );
    const trail = await json<Json[]>('audit', 'list', '--customer', id, '--action', 'token.issue');
    expect(trail).toMatchObject([
      { customer_id: id, action: 'token.issue', actor: expect.stringMatching(/^operator:/) },
    ]);
    expect(JSON.stringify(await json('audit', 'list', '--customer', id))).not.toContain('cas_live_');
  }, 240_000);

  it.each<[string, number, string[], RegExp]>([
    [
      'a number that is no organisation’s',
      4,
      ['customer', 'create', '--name', 'A', '--org-number', '123456789', '--email', 'a@b.example'],
      /organisation number/,
    ],
    ['a missing option', 2, ['token', 'issue'], /--customer/],
    [
      'a token for a customer that is not there',
      3,
      ['token', 'issue', '--customer', '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a11', '--scopes', 'ai:read'],
      /There is no customer 6b8f7f0a/,
    ],
    ['a noun alone', 2, ['token'], /rotate/],
  ])(
    'refuses %s in words, on standard error, with code %i',
    async (_name, expected, words, message) => {
      const { code, stdout, stderr } = await run(...words);
      expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at |QueryFailed|node_modules/m);
    },
    240_000,
  );

  it('refuses a limit that the database would refuse, in words', async () => {
    const { id } = await createCustomer();
    const { code, stderr } = await run('customer', 'limits', '--customer', id, '--requests-per-minute', '0');
    expect(code).toBe(4);
    expect(stderr).toMatch(/^.*at least 1.*\n$/);
    expect(await actions(id)).toEqual(['customer.create']);
  });

  it('refuses a token that has expired already', async () => {
    const { id } = await createCustomer();
    const issue = ['token', 'issue', '--customer', id, '--scopes', 'ai:read', '--expires-at', '2026-01-01T00:00:00Z'];
    expect(await run(...issue)).toMatchObject({ code: 4, stderr: expect.stringMatching(/must be in the future/) });
    expect(await actions(id)).toEqual(['customer.create']);
  });

  it('changes nothing when the audit entry cannot be written', async () => {
    const { id } = await createCustomer();
    await database.superuser.query(
      `alter table audit_log add constraint no_more check (action = 'customer.create') not valid`,
    );
    try {
      const attempts: string[][] = [
        ['token', 'issue', '--customer', id, '--scopes', 'ai:read'],
        ['customer', 'deactivate', '--customer', id],
        ['service', 'add', '--customer', id, '--type', 'a', '--name', 'b'],
      ];
      for (const words of attempts) expect((await run(...words)).code).toBe(1);
      const left = await database.superuser.query(
        `select (select count(*)::int from service_token where customer_id = $1) as tokens,
           (select count(*)::int from customer_service where customer_id = $1) as services,
           (select active from customer where id = $1) as active`,
        [id],
      );
      expect(left.rows).toEqual([{ tokens: 0, services: 0, active: true }]);
    } finally {
      await database.superuser.query('alter table audit_log drop constraint no_more');
    }
  }, 240_000);

  it('prints a table for people', async () => {
    const { id } = await createCustomer('Table AS');
    const { code, stdout } = await run('customer', 'list');
    expect(code).toBe(0);
    expect(stdout.split('\n').find((line) => line.includes('Table AS'))).toContain(id);
  });
});
