import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CUSTOMER_EVENT_TYPES, WebhookSecretsService } from '@domains/events';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { waitForLocks } from '@test/locks';
import { operatorCommand } from '@test/operator-command';
import { saveFakeDelivery, saveFakeEndpoint } from '@test/factories/webhook.factory';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describePaging } from '@test/suites/paging.suite';
import { describeValidation } from '@test/suites/validation.suite';
import { connectAsSuperuser } from '@test/test-database';
import type { WebhookEndpointDto } from '@records/webhook-endpoint.dto';
import type {
  WebhookDeliveryDto,
  WebhookDeliveryPageDto,
  WebhookEndpointWithSecretDto,
} from '../../apps/customer-api/src/webhooks/webhook.dto';

const body = { url: 'https://erp.fjordlys.example/hooks', event_types: ['ticket.replied'], description: 'ERP' };
const POST = { method: 'POST', path: '/webhooks/endpoints', body } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

let api: TestApi;
beforeAll(async () => (api = await startApi({ SECRETS_KEY: randomBytes(32).toString('base64') })));
afterAll(() => api.stop());

type Caller = Awaited<ReturnType<typeof createCaller>>;
const send = ({ call }: Caller, method: string, path: string, sent?: object) =>
  call(path, { method, ...(sent && { body: JSON.stringify(sent), headers: JSON_TYPE }) });
const create = async (caller: Caller, more: object = {}) =>
  (await (
    await send(caller, 'POST', '/webhooks/endpoints', { ...body, ...more })
  ).json()) as WebhookEndpointWithSecretDto;
const read = async ({ call }: Caller, id: string) =>
  (await (await call(`/webhooks/endpoints/${id}`)).json()) as WebhookEndpointDto;
const stored = async (id: string) => {
  const { rows } = await api.superuser.query<{ scopes: string[]; secret: string; former: string[]; ends: Date[] }>(
    `select scopes, secret_ciphertext::text as secret, former_secrets::text[] as former, former_secrets_until as ends
     from webhook_endpoint where id = $1`,
    [id],
  );
  return rows[0];
};

/** The bound of a header of a webhook that openapi.json tells. */
const longestHeader = (header: string) => {
  const { webhooks } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    webhooks: Record<string, { post: { parameters: { name: string; schema: { maxLength: number } }[] } }>;
  };
  return webhooks['ticket.replied']!.post.parameters.find(({ name }) => name === header)!.schema.maxLength;
};

describe('POST /webhooks/endpoints', () => {
  describeAuthentication(() => api, POST, 'webhooks:manage');
  describeValidation(() => api, POST, 'url', {
    accepted: [
      ['an address with port, path and query', 'https://hooks.example.com:8443/a/b?c=d'],
      ['a public address', 'https://9.9.9.9/'],
      ['a public IPv6 address', 'https://[2620:fe::fe]/'],
    ],
    refused: [
      ['http', 'http://hooks.example.com/'],
      ['a private address', 'https://10.0.0.1/'],
      ['this machine', 'https://localhost/'],
      ['credentials', 'https://a:b@hooks.example.com/'],
      ['a fragment', 'https://hooks.example.com/#a'],
      ['a long one', `https://hooks.example.com/${'a'.repeat(2000)}`],
      ['nothing', ''],
      ['a number', 5],
      ['a missing field', undefined],
    ],
  });
  describeValidation(() => api, POST, 'event_types', {
    accepted: [
      ['null', null],
      ['a missing field', undefined],
      ['two types', ['sms.failed', 'sms.delivered']],
      ['as many as there are', CUSTOMER_EVENT_TYPES.map(() => 'sms.failed')],
    ],
    refused: [
      ['more than there are', ['sms.failed', ...CUSTOMER_EVENT_TYPES]],
      ['an unknown type', ['sms.exploded']],
      ['a type of the operator', ['ticket.created']],
      ['no type', []],
      ['a text', 'sms.failed'],
    ],
  });
  describeValidation(() => api, POST, 'description', {
    accepted: [
      ['255 characters', 'a'.repeat(255)],
      ['null', null],
    ],
    refused: [
      ['256 characters', 'a'.repeat(256)],
      ['a number', 5],
    ],
  });

  it('creates an endpoint with the scopes of the token; the secret is shown once, and stored encrypted', async () => {
    const caller = await createCaller(api, { scopes: ['webhooks:manage', 'sms:read'] });
    const { secret, ...created } = await create(caller);
    expect(created).toMatchObject({ ...body, disabled_reason: null, failing_since: null });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await read(caller, created.id)).toEqual(created);
    const row = await stored(created.id);
    expect(row?.scopes.sort()).toEqual(['sms:read', 'webhooks:manage']);
    expect(Buffer.from(row?.secret.slice(2) ?? '', 'hex').includes(secret.slice(6))).toBe(false);
  });

  it('is answered without compression, as is a rotation: the size would tell of the secret', async () => {
    const caller = await createCaller(api, { scopes: ['webhooks:manage'] });
    const url = `https://hooks.example.com/${'a'.repeat(1500)}`;
    const created = await send(caller, 'POST', '/webhooks/endpoints', { ...body, url });
    const { id } = (await created.json()) as WebhookEndpointDto;
    const rotated = await send(caller, 'POST', `/webhooks/endpoints/${id}/rotate-secret`);
    const without = await caller.call(`/webhooks/endpoints/${id}`);
    const replies = [created, rotated, without].map(({ headers }) => [
      headers.get('content-encoding'),
      headers.get('cache-control'),
    ]);
    expect(replies).toEqual([
      [null, 'no-store, no-transform'],
      [null, 'no-store, no-transform'],
      [expect.any(String), 'no-store'],
    ]);
  });

  it('refuses an eleventh endpoint, also of requests at the same time', async () => {
    const caller = await createCaller(api);
    const replies = await Promise.all(
      Array.from({ length: 15 }, () => send(caller, 'POST', '/webhooks/endpoints', body)),
    );
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(5);
    for (const reply of refused) await expectProblem(reply, 409, 'too_many_webhook_endpoints');
  });
});

describe('the address of an endpoint', () => {
  const hostsIn = async ({ customer }: Caller) => {
    const { rows } = await api.superuser.query<{ host: string }>(
      `select metadata ->> 'host' as host from audit_log where customer_id = $1 and action like 'webhook.%' order by id`,
      [customer.id],
    );
    return rows.map(({ host }) => host);
  };

  it.each([
    ['https://other.example\\@erp.fjordlys.example/hooks', 'https://other.example/@erp.fjordlys.example/hooks'],
    ['https:///other.example/hooks', 'https://other.example/hooks'],
    ['HTTPS://Other.Example:443/æ\n?a=ø', 'https://other.example/%C3%A6?a=%C3%B8'],
    ['https://other.example', 'https://other.example'],
  ])('is that which is sent to, for its owner and in the audit log: %j', async (url, used) => {
    const caller = await createCaller(api);
    const { id } = await create(caller, { url });
    const { id: changed } = await create(caller);
    await send(caller, 'PATCH', `/webhooks/endpoints/${changed}`, { url });
    expect([(await read(caller, id)).url, (await read(caller, changed)).url]).toEqual([used, used]);
    expect(await hostsIn(caller)).toEqual(['other.example', 'erp.fjordlys.example', 'other.example']);
  });

  it('that a former release stored as it was given is of the same host', async () => {
    const hostOf = async (url: string) =>
      (await api.superuser.query<{ host: string }>('select app.webhook_host($1) as host', [url])).rows[0]?.host;
    for (const url of [
      'https://a.example\\@b.example/',
      'https:///a.example',
      'HTTPS://a.example?b',
      'http://b@a.example#c',
    ])
      expect([url, await hostOf(url)]).toEqual([url, 'a.example']);
  });
});

describe('GET /webhooks/endpoints', () => {
  describeAuthentication(() => api, { method: 'GET', path: '/webhooks/endpoints' }, 'webhooks:manage');
  describePaging(
    () => api,
    '/webhooks/endpoints',
    'webhook_endpoint',
    async (client, customerId, createdAt) => ({ id: await saveFakeEndpoint(client, customerId, { createdAt }) }),
    ({ id }) => id,
  );
});

describe('PATCH /webhooks/endpoints/{id}', () => {
  it('changes only the fields that are given', async () => {
    const caller = await createCaller(api);
    const { id } = await create(caller);
    const reply = await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { description: null });
    expect(await reply.json()).toMatchObject({ ...body, description: null });
    await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { event_types: null, url: 'https://b.example.com/' });
    expect(await read(caller, id)).toMatchObject({
      url: 'https://b.example.com/',
      event_types: null,
      description: null,
    });
    await expectProblem(
      await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { url: 'https://127.0.0.1/' }),
      400,
      'invalid_request',
    );
    await expectProblem(await send(caller, 'PATCH', `/webhooks/endpoints/${id}`), 400, 'invalid_request');
  });

  it.each(['url', 'enabled'])('refuses %s without a value, and changes nothing', async (field) => {
    const caller = await createCaller(api);
    const { secret: _, ...endpoint } = await create(caller);
    const reply = await send(caller, 'PATCH', `/webhooks/endpoints/${endpoint.id}`, { [field]: null });
    const problem = await expectProblem(reply, 400, 'invalid_request');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/${field}`]);
    expect(await read(caller, endpoint.id)).toEqual(endpoint);
  });

  it.each([
    {},
    { enabled: true, description: 'ERP', url: body.url, event_types: body.event_types },
    { description: null },
  ])('dates a change, and records it, once however often it is sent: %j', async (change) => {
    const caller = await createCaller(api);
    const { id, updated_at: created } = await create(caller);
    const recorded = async () => {
      const query = `select from audit_log where customer_id = $1 and action = 'webhook.change'`;
      return (await api.superuser.query(query, [caller.customer.id])).rowCount;
    };
    const sent = async () =>
      (await (await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, change)).json()) as WebhookEndpointDto;
    const [first, again] = [await sent(), await sent()];
    expect(again).toEqual(first);
    const changes = 'description' in change && change.description === null;
    expect([first.updated_at > created, await recorded()]).toEqual([changes, changes ? 1 : 0]);
  });

  it('with another address takes the scopes that the token lacks from the endpoint', async () => {
    const caller = await createCaller(api, { scopes: ['webhooks:manage', 'sms:read', 'invoices:read'] });
    const { id } = await create(caller);
    const other = await createCaller(api, { scopes: ['webhooks:manage', 'sms:read'] });
    await api.superuser.query('update service_token set customer_id = $1 where customer_id = $2', [
      caller.customer.id,
      other.customer.id,
    ]);
    await send(other, 'PATCH', `/webhooks/endpoints/${id}`, { description: 'the same address' });
    expect((await stored(id))?.scopes).toHaveLength(3);
    const reply = await send(other, 'PATCH', `/webhooks/endpoints/${id}`, { url: 'https://evil.example.com/' });
    expect(reply.status).toBe(200);
    expect((await stored(id))?.scopes.sort()).toEqual(['sms:read', 'webhooks:manage']);
  });

  it('disables and enables', async () => {
    const caller = await createCaller(api);
    const { id } = await create(caller);
    await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { enabled: false });
    expect((await read(caller, id)).disabled_reason).toBe('owner');
    await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { enabled: true });
    expect((await read(caller, id)).disabled_reason).toBeNull();
  });

  it('begins anew with its failures at another address and when it is enabled again, and with no other change', async () => {
    const caller = await createCaller(api);
    const { id } = await create(caller);
    const since = '2026-01-01T00:00:00.000000Z';
    const failing = (disabled: 'failing' | null) =>
      api.superuser.query(
        `update webhook_endpoint set failing_since = $2, disabled_reason = $3, disabled_at = case when $3::text is not null then $2::timestamptz end
         where id = $1`,
        [id, since, disabled],
      );
    const changed = async (change: object) => {
      const { failing_since, disabled_reason, disabled_at } = (await (
        await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, change)
      ).json()) as WebhookEndpointDto;
      return { failing_since, disabled_reason, disabled_at };
    };
    const inUse = { disabled_reason: null, disabled_at: null };
    await failing(null);
    for (const same of [{ description: 'ERP 2' }, { url: body.url }, { enabled: true }])
      expect(await changed(same)).toEqual({ failing_since: since, ...inUse });
    expect(await changed({ url: 'https://b.example.com/' })).toEqual({ failing_since: null, ...inUse });
    await failing('failing');
    expect(await changed({ enabled: true })).toEqual({ failing_since: null, ...inUse });
  });

  it.each(['owner', 'gone', 'failing', null])(
    'enables none that the operator has disabled, whatever had disabled it before: %s',
    async (before) => {
      const caller = await createCaller(api);
      const { id } = await create(caller);
      await api.superuser.query(
        `update webhook_endpoint set disabled_at = case when $2::text is not null then '2026-01-01'::timestamptz end, disabled_reason = $2
         where id = $1`,
        [id, before],
      );
      const { disabled_at: at } = await read(caller, id);
      const words = ['webhook', 'change', '--endpoint', id, '--enabled', 'false'];
      expect((await operatorCommand(api.database, words)).code).toBe(0);
      // The owner's own wish to disable it changes nothing.
      expect((await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { enabled: false })).status).toBe(200);
      expect(await read(caller, id)).toMatchObject({
        ...{ disabled_reason: 'operator', disabled_at: at ?? expect.any(String) },
      });
      const refused = await send(caller, 'PATCH', `/webhooks/endpoints/${id}`, { enabled: true });
      await expectProblem(refused, 409, 'webhook_endpoint_disabled');
      const test = await send(caller, 'POST', `/webhooks/endpoints/${id}/test`);
      await expectProblem(test, 409, 'webhook_endpoint_disabled');
    },
  );
});

describe('POST /webhooks/endpoints/{id}/rotate-secret', () => {
  it('shows another secret, and keeps the former one', async () => {
    const caller = await createCaller(api);
    const { id, secret } = await create(caller);
    const before = await stored(id);
    const rotated = (await (
      await send(caller, 'POST', `/webhooks/endpoints/${id}/rotate-secret`)
    ).json()) as WebhookEndpointWithSecretDto;
    expect(rotated.secret).not.toBe(secret);
    expect((await stored(id))?.former).toEqual([before?.secret]);
  });

  it('keeps the last ten, newest first, each for a day from its own rotation', async () => {
    const caller = await createCaller(api);
    const { id } = await create(caller);
    const rotate = async () => {
      const before = await stored(id);
      expect((await send(caller, 'POST', `/webhooks/endpoints/${id}/rotate-secret`)).status).toBe(200);
      return before!.secret;
    };
    const secrets = [await rotate(), await rotate()];
    const [second, first] = (await stored(id))!.ends;
    expect(first!.getTime()).toBeLessThan(second!.getTime());
    while (secrets.length < 12) secrets.push(await rotate());
    const kept = (await stored(id))!;
    expect(kept.former).toEqual(secrets.slice(2).reverse());
    expect(kept.ends.map(Number).toSorted((a, b) => b - a)).toEqual(kept.ends.map(Number));
    const [present, ...former] = [kept.secret, ...kept.former].map((text) => Buffer.from(text.slice(2), 'hex'));
    const [endpoint, content] = [
      { customerId: caller.customer.id, id },
      { id, timestamp: 1, body: '{}' },
    ];
    const signatures = api.app.get(WebhookSecretsService).sign(endpoint, present!, former, content);
    expect(signatures.split(' ')).toHaveLength(11);
    expect(signatures.length).toBeLessThanOrEqual(longestHeader('webhook-signature'));
    await api.superuser.query(
      'update webhook_endpoint set former_secrets_until = array_fill(app.now(), array[10]) where id = $1',
      [id],
    );
    const last = await rotate();
    expect((await stored(id))!.former).toEqual([last]);
  });
});

describe('DELETE /webhooks/endpoints/{id}', () => {
  it('deletes the endpoint', async () => {
    const caller = await createCaller(api);
    const { id } = await create(caller);
    const reply = await send(caller, 'DELETE', `/webhooks/endpoints/${id}`);
    expect([reply.status, await reply.text()]).toEqual([204, '']);
    await expectProblem(await caller.call(`/webhooks/endpoints/${id}`), 404, 'not_found');
    await expectProblem(await send(caller, 'DELETE', `/webhooks/endpoints/${id}`), 404, 'not_found');
  });
});

describe('what waits for an endpoint that is deleted', () => {
  it('is missed, and what waits for others is sent', async () => {
    const caller = await createCaller(api);
    const [gone, left] = [await create(caller), await create(caller)];
    const stateOf = async (endpointId: string) => {
      const { rows } = await api.superuser.query<{ state: string }>(
        'select state from webhook_delivery where customer_id = $1 and endpoint_id = $2 order by state',
        [caller.customer.id, endpointId],
      );
      return rows.map(({ state }) => state);
    };
    for (const endpointId of [gone.id, left.id])
      for (const state of ['pending', 'delivered'])
        await saveFakeDelivery(api.superuser, caller.customer.id, { endpointId, state });
    expect((await send(caller, 'DELETE', `/webhooks/endpoints/${gone.id}`)).status).toBe(204);
    expect([await stateOf(gone.id), await stateOf(left.id)]).toEqual([
      ['delivered', 'missed'],
      ['delivered', 'pending'],
    ]);
  });

  it('cannot be sent again, which the refusal says', async () => {
    const caller = await createCaller(api);
    const { endpointId, deliveryId } = await saveFakeDelivery(api.superuser, caller.customer.id);
    expect((await send(caller, 'DELETE', `/webhooks/endpoints/${endpointId}`)).status).toBe(204);
    const reply = await send(caller, 'POST', `/webhooks/deliveries/${deliveryId}/redeliver`);
    expect((await expectProblem(reply, 404, 'not_found')).detail).toContain('was deleted');
    const words = ['webhook', 'redeliver', '--delivery', deliveryId];
    expect((await operatorCommand(api.database, words)).stderr).toContain('was deleted');
  });
});

describe('POST /webhooks/endpoints/{id}/test', () => {
  it('is one of ten an hour, and counts one that is being stored for another endpoint; no other delivery', async () => {
    const caller = await createCaller(api);
    const [one, other] = [await create(caller), await create(caller)];
    const save = (eventType: string, minutesAgo: number) => {
      const createdAt = new Date(Date.now() - minutesAgo * 60_000);
      return saveFakeDelivery(api.superuser, caller.customer.id, { endpointId: one.id, eventType, createdAt });
    };
    for (let count = 0; count < 10; count++) {
      await save('webhook.test', 61);
      await save('ticket.replied', 0);
    }
    await save('webhook.test', 58);
    const test = ({ id }: { id: string }) => send(caller, 'POST', `/webhooks/endpoints/${id}/test`);
    for (let count = 0; count < 8; count++) expect((await test(one)).status).toBe(201);
    const storing = await connectAsSuperuser(api.database);
    await storing.query('begin');
    await storing.query(`select app.test_webhook_endpoint($1, $2, 10, 'test')`, [caller.customer.id, one.id]);
    const eleventh = test(other);
    expect(await Promise.race([eleventh, waitForLocks(api.superuser, 1)])).toBeUndefined();
    await storing.query('commit');
    await storing.end();
    const refused = await eleventh;
    // There is room once the first of the ten is an hour old.
    const seconds = Number(refused.headers.get('retry-after'));
    expect([seconds > 90, seconds <= 120]).toEqual([true, true]);
    await expectProblem(refused, 429, 'rate_limited');
  });
});

describe('POST /webhooks/endpoints/{id}/redeliver', () => {
  it.each(['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'])('takes every time that exists: %s', async (since) => {
    const caller = await createCaller(api);
    const endpointId = await saveFakeEndpoint(api.superuser, caller.customer.id);
    for (const state of ['failed', 'missed', 'pending'])
      await saveFakeDelivery(api.superuser, caller.customer.id, { endpointId, state });
    const reply = await send(caller, 'POST', `/webhooks/endpoints/${endpointId}/redeliver`, { since });
    expect([reply.status < 300, await reply.json()]).toEqual([
      true,
      { endpoint_id: endpointId, queued: since < '2000' ? 3 : 0, more: false },
    ]);
  });
});

describe('what is sent again, alone or with all since a time,', () => {
  it('is due now and begins anew with its attempts, and what was delivered is not among all', async () => {
    const caller = await createCaller(api);
    const { endpointId, deliveryId } = await saveFakeDelivery(api.superuser, caller.customer.id);
    const missed = await saveFakeDelivery(api.superuser, caller.customer.id, { endpointId, state: 'missed' });
    // Its next attempt may be due in ten hours.
    const waiting = await saveFakeDelivery(api.superuser, caller.customer.id, { endpointId, state: 'pending' });
    const delivered = await saveFakeDelivery(api.superuser, caller.customer.id, { endpointId, state: 'delivered' });
    const before = Date.now();
    const reply = await send(caller, 'POST', `/webhooks/deliveries/${deliveryId}/redeliver`);
    const anew = { state: 'pending', attempts: 0, next_attempt_at: expect.any(String) };
    const alone = (await reply.json()) as WebhookDeliveryDto;
    expect(alone).toMatchObject({ id: deliveryId, ...anew });
    expect(Date.parse(alone.next_attempt_at ?? '')).toBeGreaterThanOrEqual(before);
    const since = { since: '2020-01-01T00:00:00Z' };
    const all = await send(caller, 'POST', `/webhooks/endpoints/${endpointId}/redeliver`, since);
    // The one that was sent again alone has had no attempt yet.
    expect(await all.json()).toEqual({ endpoint_id: endpointId, queued: 2, more: false });
    const { data } = (await (await caller.call('/webhooks/deliveries')).json()) as WebhookDeliveryPageDto;
    expect(new Map(data.map(({ id, ...rest }) => [id, rest]))).toEqual(
      new Map([
        [deliveryId, expect.objectContaining(anew)],
        [missed.deliveryId, expect.objectContaining(anew)],
        [waiting.deliveryId, expect.objectContaining(anew)],
        [delivered.deliveryId, expect.objectContaining({ state: 'delivered', attempts: 11 })],
      ]),
    );
  });
});

describe('GET /webhooks/deliveries', () => {
  describeAuthentication(() => api, { method: 'GET', path: '/webhooks/deliveries' }, 'webhooks:manage');

  it('lists deliveries, newest first, by endpoint and by state', async () => {
    const { customer, call } = await createCaller(api);
    const one = await saveFakeDelivery(api.superuser, customer.id, { createdAt: new Date(Date.now() - 1000) });
    const other = await saveFakeDelivery(api.superuser, customer.id);
    const ids = async (query: string) =>
      ((await (await call(`/webhooks/deliveries${query}`)).json()) as WebhookDeliveryPageDto).data.map(({ id }) => id);
    expect(await ids('')).toEqual([other.deliveryId, one.deliveryId]);
    expect(await ids(`?endpoint_id=${one.endpointId}`)).toEqual([one.deliveryId]);
    expect(await ids('?state=failed')).toHaveLength(2);
    expect(await ids(`?state=pending&endpoint_id=${one.endpointId}`)).toEqual([]);
    await expectProblem(await call('/webhooks/deliveries?endpoint_id=7'), 400, 'invalid_request');
  });
});

describe('deliveries of later events', () => {
  it('are due later, though the transaction that makes them began before that of the former ones', async () => {
    const caller = await createCaller(api);
    const types = ['ticket.replied', 'sms.delivered'];
    await create(caller, { event_types: types });
    const record = (type?: string) =>
      api.superuser.query(`select app.record_event($1, $2, '{}', '{}')`, [caller.customer.id, type]);
    const [early, late] = [await connectAsSuperuser(api.database), await connectAsSuperuser(api.database)];
    const sequence = (client: typeof early) => client.query('select app.sequence_events($1)', [caller.customer.id]);
    await early.query('begin');
    await record(types[0]);
    await late.query('begin');
    await sequence(late);
    await record(types[1]);
    const waiting = sequence(early);
    await waitForLocks(api.superuser, 1);
    await late.query('commit');
    await waiting;
    await early.query('commit');
    await Promise.all([early.end(), late.end()]);
    const { data } = (await (await caller.call('/webhooks/deliveries')).json()) as WebhookDeliveryPageDto;
    const due = data.map(({ event_type: type, next_attempt_at: at }) => ({ type, at: at ?? '' }));
    expect(due.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ type }) => type)).toEqual(types);
  });
});

describe("another customer's endpoints and deliveries", () => {
  it.each<[string, string, object | undefined]>([
    ['GET', '/webhooks/endpoints/ENDPOINT', undefined],
    ['PATCH', '/webhooks/endpoints/ENDPOINT', { enabled: false }],
    ['DELETE', '/webhooks/endpoints/ENDPOINT', undefined],
    ['POST', '/webhooks/endpoints/ENDPOINT/rotate-secret', undefined],
    ['POST', '/webhooks/endpoints/ENDPOINT/test', undefined],
    ['POST', '/webhooks/endpoints/ENDPOINT/redeliver', { since: '2026-01-01T00:00:00Z' }],
    ['POST', '/webhooks/deliveries/DELIVERY/redeliver', undefined],
  ])('are not found by %s %s', async (method, path, sent) => {
    const owner = await createCaller(api);
    const { endpointId, deliveryId } = await saveFakeDelivery(api.superuser, owner.customer.id);
    const other = await createCaller(api);
    const named = path.replace('ENDPOINT', endpointId).replace('DELIVERY', deliveryId);
    await expectProblem(await send(other, method, named, sent), 404, 'not_found');
    await expectProblem(
      await send(owner, method, named.replace(/[0-9a-f-]{36}/, randomUUID()), sent),
      404,
      'not_found',
    );
    expect((await send(owner, method, named, sent)).status).toBeLessThan(300);
  });

  it('are in no list', async () => {
    const owner = await createCaller(api);
    const { endpointId } = await saveFakeDelivery(api.superuser, owner.customer.id);
    const { call } = await createCaller(api);
    for (const path of [
      '/webhooks/endpoints',
      '/webhooks/deliveries',
      `/webhooks/deliveries?endpoint_id=${endpointId}`,
    ]) {
      expect(await (await call(path)).json()).toMatchObject({ data: [] });
    }
  });
});
