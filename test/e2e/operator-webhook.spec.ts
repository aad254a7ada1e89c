import { randomBytes } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();
const environment = { SECRETS_KEY: randomBytes(32).toString('base64') };

interface Endpoint {
  id: string;
  customer_id: string | null;
  url: string;
  event_types: string[] | null;
  disabled_reason: string | null;
  secret?: string;
}

describe('operator webhook', () => {
  let customer: string;
  beforeEach(async () => {
    customer = (await saveFakeCustomer(database.superuser)).id;
  });

  const run = async (...words: string[]) => {
    const { stdout, stderr, code } = await operatorCommand(database, ['webhook', ...words, '--json'], { environment });
    return { code, stderr, value: stdout === '' ? undefined : (JSON.parse(stdout) as unknown) };
  };
  const add = async (...words: string[]) =>
    (await run('add', '--url', 'https://hooks.example.com/', ...words)).value as Endpoint;
  const actions = async () => {
    const { rows } = await database.superuser.query<{ action: string; actor: string }>(
      `select action, actor from audit_log where action like 'webhook.%' and customer_id = $1 order by id`,
      [customer],
    );
    return rows.map(({ action }) => action);
  };

  it("adds, shows, changes and removes a customer's endpoint, audited; its secret is shown once", async () => {
    const { secret, id, ...added } = await add('--customer', customer, '--types', 'sms.failed,sms.delivered');
    expect(secret).toMatch(/^whsec_/);
    expect(added).toMatchObject({ customer_id: customer, event_types: ['sms.failed', 'sms.delivered'] });
    const shown = (await run('show', '--endpoint', id)).value as Endpoint;
    expect(shown).toMatchObject({ id, url: 'https://hooks.example.com/' });
    const address = 'https://receiver:of-its-own@hooks2.example.com:8443/a-secret-path?token=and-parameter';
    const moved = await run(
      'change',
      '--endpoint',
      id,
      '--url',
      'https://hooks2.example.com:8443/a-secret-path?token=and-parameter',
    );
    expect(moved.code).toBe(0);
    const logged = await database.superuser.query<{ hosts: string[]; metadata: string; host: string }>(
      `select array_agg(metadata ->> 'host' order by id) as hosts, string_agg(metadata::text, '') as metadata, app.webhook_host($2) as host
       from audit_log where customer_id = $1 and action like 'webhook.%'`,
      [customer, address],
    );
    expect(logged.rows).toMatchObject([
      { hosts: ['hooks.example.com', 'hooks2.example.com:8443'], host: 'hooks2.example.com:8443' },
    ]);
    expect(logged.rows[0]!.metadata).not.toMatch(/secret|token/);
    expect(JSON.stringify(shown)).not.toMatch(/whsec_|ciphertext/i);
    const nothing = await run('change', '--endpoint', id);
    expect(nothing).toMatchObject({ code: 4, stderr: expect.stringContaining('Give something to change') });
    const disabled = await run('change', '--endpoint', id, '--types', 'all', '--enabled', 'false');
    expect(disabled.value).toMatchObject({ event_types: null, disabled_reason: 'operator' });
    const enabled = await run('change', '--endpoint', id, '--enabled', 'true', '--description', 'ERP');
    expect(enabled.value).toMatchObject({ disabled_reason: null, description: 'ERP' });
    const rotated = (await run('rotate-secret', '--endpoint', id)).value as Endpoint;
    expect(rotated.secret).not.toBe(secret);
    await run('test', '--endpoint', id);
    expect((await run('remove', '--endpoint', id, '--yes')).code).toBe(0);
    expect((await run('show', '--endpoint', id)).code).toBe(3);
    const changes = await database.superuser.query<{ changed: string[] }>(
      `select metadata -> 'changed' as changed from audit_log where customer_id = $1 and action = 'webhook.change' order by id`,
      [customer],
    );
    expect(changes.rows.map(({ changed }) => changed)).toEqual([
      ['url'],
      ['event_types', 'enabled'],
      ['description', 'enabled'],
    ]);
    expect(await actions()).toEqual([
      'webhook.create',
      'webhook.change',
      'webhook.change',
      'webhook.change',
      'webhook.rotate-secret',
      'webhook.test',
      'webhook.delete',
    ]);
  });

  it('lets only its own endpoints have private addresses and types of its own', async () => {
    const own = (await run('add', '--url', 'http://10.0.0.7:8080/hooks', '--types', 'ticket.created'))
      .value as Endpoint;
    expect(own).toMatchObject({ customer_id: null, event_types: ['ticket.created'] });
    const listed = (await run('list', '--own')).value as Endpoint[];
    expect(listed.map(({ id }) => id)).toContain(own.id);
    expect((await run('list', '--customer', customer)).value).toEqual([]);
    const refused = await run('add', '--customer', customer, '--url', 'http://10.0.0.7:8080/hooks');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('must be an https address')]);
    const others = ['--customer', customer, '--url', 'https://hooks.example.com/', '--types', 'ticket.created'];
    expect((await run('add', ...others)).stderr).toContain(
      "Only the operator's endpoints get events of ticket.created",
    );
  });

  it('refuses scopes for an endpoint of its own, which would get the records of every customer', async () => {
    const refused = await run('add', '--url', 'https://scoped.example.com/', '--scopes', 'sms:read');
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining("Scopes are for a customer's endpoint"),
    ]);
    const listed = (await run('list', '--own')).value as Endpoint[];
    expect(listed.map(({ url }) => url)).not.toContain('https://scoped.example.com/');
  });

  it("adds a customer's endpoint with the scopes of all its events, or with those named; none of an erased customer", async () => {
    const scopesOf = async (id: string) => {
      const query = 'select array(select unnest(scopes) order by 1) as scopes from webhook_endpoint where id = $1';
      return (await database.superuser.query<{ scopes: string[] }>(query, [id])).rows[0]?.scopes;
    };
    const all = await add('--customer', customer);
    const records = ['ai', 'invoices', 'sms', 'status', 'support'].map((record) => `${record}:read`);
    expect(await scopesOf(all.id)).toEqual([...records, 'webhooks:manage']);
    const some = await add('--customer', customer, '--scopes', 'sms:read');
    expect(await scopesOf(some.id)).toEqual(['sms:read']);
    await database.superuser.query('update customer set erased_at = now(), active = false where id = $1', [customer]);
    const refused = await run('add', '--customer', customer, '--url', 'https://hooks.example.com/');
    expect(refused.stderr).toContain('was erased');
  });

  it('lists deliveries, and queues one or all since a time again', async () => {
    const { endpointId, deliveryId } = await saveFakeDelivery(database.superuser, customer);
    expect((await run('list', '--customer', customer)).value).toMatchObject([{ id: endpointId }]);
    const listed = await run('deliveries', '--endpoint', endpointId, '--status', 'failed');
    expect(listed.value).toMatchObject([{ id: deliveryId, state: 'failed', event_type: 'ticket.replied' }]);
    expect((await run('redeliver', '--delivery', deliveryId)).value).toMatchObject({ state: 'pending', attempts: 0 });
    await database.superuser.query(`update webhook_delivery set state = 'missed' where id = $1`, [deliveryId]);
    const since = ['redeliver', '--endpoint', endpointId, '--since'];
    expect((await run(...since, '2099-01-01T00:00:00Z')).value).toEqual({ queued: 0, more: false });
    expect((await run(...since, '2026-01-01T00:00:00Z')).value).toEqual({ queued: 1, more: false });
    expect((await run('redeliver', '--endpoint', endpointId)).code).toBe(2);
    expect((await run('redeliver', '--delivery', deliveryId, '--since', '2026-01-01T00:00:00Z')).code).toBe(2);
  });
});
