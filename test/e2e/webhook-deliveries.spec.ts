import { randomBytes, randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { InternalListenerService } from '@platform/internal-listener';
import { Metrics } from '@platform/metrics';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { CUSTOMER_EVENT_TYPES, EventBodiesPort, WebhookQueueService } from '@domains/events';
import { createCaller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { expectProblem } from '@test/expect-problem';
import { operatorCommand } from '@test/operator-command';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { waitForLocks } from '@test/locks';
import { until } from '@test/until';
import { startWebhookReceiver, type WebhookReceiver } from '@test/webhook-receiver';
import type { EventPageDto } from '../../apps/customer-api/src/events/event-query.dto';
import type { WebhookEndpointWithSecretDto } from '../../apps/customer-api/src/webhooks/webhook.dto';
import { WorkerModule } from '../../apps/worker/src/worker.module';

type Caller = Awaited<ReturnType<typeof createCaller>>;

interface DeliveryRow {
  id: string;
  state: string;
  attempts: number;
  last_status: number | null;
  last_error: string | null;
  wait: number | null;
}

describe('Deliveries of events to webhook endpoints', () => {
  let api: TestApi;
  let worker: INestApplicationContext;
  let receiver: WebhookReceiver;
  let path: string;
  let paths = 0;

  beforeAll(async () => {
    api = await startApi({
      SECRETS_KEY: randomBytes(32).toString('base64'),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_TIMEOUT_MS: '500',
    });
    receiver = await startWebhookReceiver();
    worker = await NestFactory.createApplicationContext(WorkerModule.with(api.database.config), { logger: false });
  });
  afterAll(async () => {
    await worker.close();
    await receiver.close();
    await api.stop();
  });
  beforeEach(() => (path = `/${++paths}`));
  afterEach(() => {
    jest.restoreAllMocks();
    return setDatabaseClock(api.superuser, 'right');
  });

  const post = async <Reply>({ call }: Caller, at: string, body?: object): Promise<Reply> => {
    const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await (await call(at, { method: 'POST', ...init })).json()) as Reply;
  };
  const create = (caller: Caller, more: object = {}) =>
    post<WebhookEndpointWithSecretDto>(caller, '/webhooks/endpoints', { url: receiver.url + path, ...more });
  const manager = (scopes: string[] = []) => createCaller(api, { scopes: ['webhooks:manage', ...scopes] as never });
  const record = async (customer: string, type = 'token.expiring', data: object = { a: 1 }) => {
    await api.superuser.query('select app.record_event($1, $2, $3, $4)', [customer, type, { id: 7 }, data]);
  };
  const deliveries = async (endpoint: string): Promise<DeliveryRow[]> =>
    (
      await api.superuser.query<DeliveryRow>(
        `select id, state, attempts, last_status, last_error, round(extract(epoch from next_attempt_at - last_attempt_at))::int as wait
         from webhook_delivery where endpoint_id = $1 order by id`,
        [endpoint],
      )
    ).rows;
  const endpointRow = async (id: string) => {
    const { rows } = await api.superuser.query<{ disabled_reason: string | null; failing_since: Date | null }>(
      'select disabled_reason, failing_since from webhook_endpoint where id = $1',
      [id],
    );
    return rows[0];
  };
  /** All that is known of the endpoint's deliveries is stored. */
  const untilStates = async (endpoint: string, ...states: string[]) => {
    await until(async () => (await deliveries(endpoint)).map(({ state }) => state).join() === states.join());
    return deliveries(endpoint);
  };

  // The first one: no delivery of another is tried again meanwhile.
  it('are counted by their results, with the time to the first attempt and the endpoints that they disable', async () => {
    const { port } = worker.get(InternalListenerService).server.server.address() as AddressInfo;
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const counted = async () => {
      const text = await metrics();
      const series = ['delivered', 'failed', 'disabled'].map((result) => `webhook_attempts_total{result="${result}"}`);
      return [...series, 'webhook_delay_seconds_count'].map((name) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.slice(name.length),
        ),
      );
    };
    expect(await counted()).toEqual([0, 0, 0, 0]);
    const caller = await manager();
    const { id } = await create(caller);
    await record(caller.customer.id);
    await untilStates(id, 'delivered');
    expect(await counted()).toEqual([1, 0, 0, 1]);
    receiver.answer(path, (reply) => reply.writeHead(410).end());
    await record(caller.customer.id);
    await untilStates(id, 'delivered', 'missed');
    await until(async () => (await counted())[2] === 1);
    expect(await counted()).toEqual([1, 1, 1, 1]);
    const calls = (await metrics()).matchAll(
      /^upstream_call_duration_seconds_count{upstream="webhook".*outcome="(.*)"} 1$/gm,
    );
    expect([...calls].map(([, outcome]) => outcome).sort()).toEqual(['2xx', '4xx']);
  });

  it('are received and verified with the public library, for every type, in their order', async () => {
    const caller = await manager();
    const { id, secret } = await create(caller);
    for (const type of CUSTOMER_EVENT_TYPES) await record(caller.customer.id, type, {});
    const received = await receiver.until(path, CUSTOMER_EVENT_TYPES.length);
    expect(received.map(({ event }) => event.type)).toEqual(CUSTOMER_EVENT_TYPES);
    const webhook = new Webhook(secret);
    for (const { body, headers, event } of received) {
      const verified = webhook.verify(body, headers as Record<string, string>);
      expect(verified).toEqual(event);
      expect(headers['webhook-id']).toBe(event.id);
      expect(() => webhook.verify(`${body} `, headers as Record<string, string>)).toThrow('No matching signature');
    }
    await untilStates(id, ...CUSTOMER_EVENT_TYPES.map(() => 'delivered'));
  });

  it('have signatures with the new and the former secret for a day after a rotation', async () => {
    const caller = await manager();
    const former = await create(caller);
    const present = await post<WebhookEndpointWithSecretDto>(caller, `/webhooks/endpoints/${former.id}/rotate-secret`);
    await record(caller.customer.id);
    const [first] = await receiver.until(path, 1);
    for (const { secret } of [former, present])
      new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>);
    await api.superuser.query(`update webhook_endpoint set former_secrets_until[1] = app.now() where id = $1`, [
      former.id,
    ]);
    await record(caller.customer.id);
    const [, second] = await receiver.until(path, 2);
    new Webhook(present.secret).verify(second?.body ?? '', second?.headers as Record<string, string>);
    expect(() =>
      new Webhook(former.secret).verify(second?.body ?? '', second?.headers as Record<string, string>),
    ).toThrow('No matching signature');
  });

  it('have signatures with every secret of the last day: whoever rotates twice may have lost a reply, or not', async () => {
    const caller = await manager();
    const first = await create(caller);
    const rotate = () => post<WebhookEndpointWithSecretDto>(caller, `/webhooks/endpoints/${first.id}/rotate-secret`);
    const [second, third] = [await rotate(), await rotate()];
    const verifiedWith = (delivery: { body: string; headers: object } | undefined) =>
      [first, second, third].map(({ secret }) => {
        try {
          return Boolean(new Webhook(secret).verify(delivery?.body ?? '', delivery?.headers as Record<string, string>));
        } catch {
          return false;
        }
      });
    await record(caller.customer.id);
    const [all] = await receiver.until(path, 1);
    expect(verifiedWith(all)).toEqual([true, true, true]);
    // The first one's day ends before the second one's.
    await api.superuser.query('update webhook_endpoint set former_secrets_until[2] = app.now() where id = $1', [
      first.id,
    ]);
    await record(caller.customer.id);
    const [, later] = await receiver.until(path, 2);
    expect(verifiedWith(later)).toEqual([false, true, true]);
  });

  it('have only the new one’s if the former secret cannot be read', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    const present = await post<WebhookEndpointWithSecretDto>(caller, `/webhooks/endpoints/${id}/rotate-secret`);
    await api.superuser.query(
      `update webhook_endpoint set former_secrets[1] = decode('00', 'hex') || former_secrets[1] where id = $1`,
      [id],
    );
    await record(caller.customer.id);
    const [received] = await receiver.until(path, 1);
    new Webhook(present.secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
    expect(received?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  });

  it('wait at each endpoint whose secret was encrypted under another SECRETS_KEY, until it is rotated', async () => {
    const { customer } = await manager();
    const operator = (command: string[], SECRETS_KEY = api.database.config.SECRETS_KEY ?? '') =>
      operatorCommand(api.database, [...command, '--json'], {
        environment: { SECRETS_KEY, WEBHOOK_ALLOW_PRIVATE: 'true' },
      });
    const other = randomBytes(32).toString('base64');
    const add = async (at: string, ...more: string[]) => {
      const { stdout } = await operator(['webhook', 'add', '--url', receiver.url + at, ...more], other);
      return (JSON.parse(stdout) as { id: string }).id;
    };
    const endpoints = [await add(path, '--customer', customer.id), await add(`${path}/own`, '--types', 'sms.failed')];
    const failures = async () => {
      const metric = worker.get(Metrics, { strict: false }).registry.getSingleMetric('worker_job_failures_total');
      const { values = [] } = (await metric?.get()) ?? {};
      return values.find(({ labels }) => labels.job_name === 'webhooks.deliver')?.value ?? 0;
    };
    const before = await failures();
    await record(customer.id, 'sms.failed', {});
    await until(async () => (await failures()) >= before + endpoints.length);
    const reencrypted = JSON.parse((await operator(['secrets', 'reencrypt'])).stdout) as object[];
    expect(reencrypted).toEqual(
      expect.arrayContaining(
        endpoints.map((endpoint_id) => expect.objectContaining({ endpoint_id, result: 'unreadable' })),
      ),
    );
    for (const id of endpoints) {
      expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: 0 }]);
      await operator(['webhook', 'rotate-secret', '--endpoint', id]);
      await untilStates(id, 'delivered');
    }
  });

  /** Sends three events to an endpoint that takes so long for each by the worker's clock, and does something meanwhile. */
  async function sendSlowly(
    ms: number,
    meanwhile: (customerId: string) => Promise<unknown> = () => Promise.resolve(),
    write: (customerId: string) => Promise<unknown> = record,
  ) {
    const caller = await manager(['invoices:read']);
    const { id } = await create(caller);
    const now = performance.now.bind(performance);
    let passed = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    receiver.answer(path, (reply) => {
      void meanwhile(caller.customer.id).then(() => {
        passed += ms;
        reply.writeHead(204).end();
      });
    });
    await api.superuser.query('begin');
    for (let count = 0; count < 3; count++) await write(caller.customer.id);
    await api.superuser.query('commit');
    return { customerId: caller.customer.id, id };
  }

  async function deliverSlowly(...slowness: Parameters<typeof sendSlowly>) {
    const sent = await sendSlowly(...slowness);
    await untilStates(sent.id, 'delivered', 'delivered', 'delivered');
    return sent;
  }

  it('of a slow endpoint are left to a later run when the time of one is over', async () => {
    const { customerId, id } = await deliverSlowly(11_000);
    const runs = await api.superuser.query(
      `select from pgboss.job where name = 'webhooks.deliver' and singleton_key = $1`,
      [`${customerId}/${id}`],
    );
    expect(runs.rowCount).toBe(3);
    expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('behind slow ones are signed with the time at which they are sent', async () => {
    let ahead = 0;
    await deliverSlowly(4_000, () => setDatabaseClock(api.superuser, { aheadBy: `${(ahead += 4)} seconds` }));
    const [first = 0, ...later] = receiver.at(path).map(({ headers }) => Number(headers['webhook-timestamp']));
    // Rounded down to seconds, after some milliseconds of the test itself.
    for (const [place, time] of later.entries())
      expect([4, 5].map((seconds) => first + seconds + 4 * place)).toContain(time);
  });

  it('have as much of a record as the scopes of the token that made the endpoint allow', async () => {
    const caller = await createCaller(api, { scopes: ['webhooks:manage', 'status:read'] as never });
    await create(caller);
    const status = { id: 3, type: 'hosting', name: 'Web', status: 'degraded', events: [] };
    await record(caller.customer.id, 'service.status_changed', status);
    await record(caller.customer.id, 'ticket.replied', { id: 7, title: 'secret' });
    const [shown, hidden] = await receiver.until(path, 2);
    expect(shown?.event.data).toMatchObject({ service_name: 'Web' });
    expect(hidden?.event.data).toEqual({ id: 7 });
  });

  it('are only of the types asked for, of the own customer, and of transactions that were committed', async () => {
    const [caller, other] = [await manager(), await manager()];
    await create(caller, { event_types: ['sms.failed'] });
    await record(other.customer.id, 'sms.failed');
    await record(caller.customer.id, 'sms.unknown');
    await api.superuser.query('begin');
    await record(caller.customer.id, 'sms.failed', { never: true });
    await api.superuser.query('rollback');
    await record(caller.customer.id, 'sms.failed', {});
    const received = await receiver.until(path, 1);
    expect(received.map(({ event }) => event.type)).toEqual(['sms.failed']);
    expect(await deliveries((await create(other)).id)).toEqual([]);
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('that fail are repeated with the same id, and hold back no later one', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    let fails = 1;
    receiver.answer(path, (reply) => reply.writeHead(fails-- > 0 ? 500 : 204).end());
    await record(caller.customer.id);
    await receiver.until(path, 1);
    await record(caller.customer.id);
    await receiver.until(path, 2);
    const [first] = await untilStates(id, 'pending', 'delivered');
    expect(first).toMatchObject({ attempts: 1, last_status: 500, wait: 5 });
    expect((await endpointRow(id))?.failing_since).toBeNull();
    await setDatabaseClock(api.superuser, { aheadBy: '6 seconds' });
    const received = await receiver.until(path, 3);
    expect(received[2]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
    await untilStates(id, 'delivered', 'delivered');
  });

  it.each<[string, Parameters<WebhookReceiver['answer']>[1], object]>([
    [
      'a redirect',
      (reply) => reply.writeHead(302, { location: '/other' }).end(),
      { last_status: 302, last_error: 'redirect' },
    ],
    ['no answer in time', () => undefined, { last_status: null, last_error: 'timeout_total' }],
    ['a closed connection', (reply) => reply.destroy(), { last_status: null, last_error: 'disconnected' }],
    ['a wish to wait', (reply) => reply.writeHead(429, { 'retry-after': '90' }).end(), { last_status: 429, wait: 90 }],
    [
      'a wish to wait for a year',
      (reply) => reply.writeHead(503, { 'retry-after': '31536000' }).end(),
      { wait: 36_000 },
    ],
    [
      'an error, whose status is all that is told of it',
      (reply) => reply.writeHead(500).end('Internal'),
      { last_status: 500, last_error: null },
    ],
  ])('count as failed for %s', async (_, answer, expected) => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, answer);
    await record(caller.customer.id);
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    expect((await deliveries(id))[0]).toMatchObject({ state: 'pending', wait: 5, ...expected });
    expect((await endpointRow(id))?.failing_since).not.toBeNull();
  });

  it('that fail count one attempt each, though a run stores its results more than once', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, (reply) => void setTimeout(() => reply.writeHead(500).end(), 300));
    await api.superuser.query('begin');
    for (let count = 0; count < 4; count++) await record(caller.customer.id);
    await api.superuser.query('commit');
    await receiver.until(path, 1);
    // From here nothing becomes due again.
    await setDatabaseClock(api.superuser, { standsAt: new Date() });
    await until(async () => {
      const made = await deliveries(id);
      return made.length === 4 && made.every(({ attempts }) => attempts > 0);
    });
    expect((await deliveries(id)).map(({ attempts, wait }) => [attempts, wait])).toEqual(Array(4).fill([1, 5]));
    expect(receiver.at(path)).toHaveLength(4);
  });

  it('are tried on the schedule for three days, then given up; redelivered on demand', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, (reply) => reply.writeHead(500).end());
    await record(caller.customer.id);
    const waits: number[] = [];
    let ahead = 0;
    for (let attempts = 1; ; attempts++) {
      await until(async () => (await deliveries(id))[0]?.attempts === attempts);
      const [{ wait, state } = { wait: null, state: '' }] = await deliveries(id);
      if (state === 'failed') break;
      waits.push(wait ?? -1);
      ahead += (wait ?? 0) + 1;
      await setDatabaseClock(api.superuser, { aheadBy: `${ahead} seconds` });
    }
    const hours = [2, 5, 10, 10, 10, 10, 10, 10].map((hour) => hour * 3600);
    expect(waits).toEqual([5, 300, 1800, ...hours]);
    receiver.answer(path, undefined);
    const [{ id: delivery } = { id: '' }] = await deliveries(id);
    await post(caller, `/webhooks/deliveries/${delivery}/redeliver`);
    await untilStates(id, 'delivered');
    const ids = receiver.at(path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('of an event that has left the log have its id and type when they are redelivered, and no data', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    await record(caller.customer.id);
    const [{ id: delivery } = { id: '' }] = await untilStates(id, 'delivered');
    await api.superuser.query('delete from event where customer_id = $1', [caller.customer.id]);
    await post(caller, `/webhooks/deliveries/${delivery}/redeliver`);
    await until(() => receiver.at(path).length === 2);
    const [first, again] = receiver.at(path);
    expect(again?.headers['webhook-id']).toBe(first?.event.id);
    expect(again?.event).toEqual({ ...first?.event, created_at: expect.any(String), data: {} });
  });

  it('end with a 410: the endpoint is disabled, told, and gets what it missed on demand', async () => {
    const caller = await createCaller(api, { scopes: ['webhooks:manage', 'events:read'] as never });
    const { id } = await create(caller, { event_types: ['sms.failed', 'sms.delivered'] });
    receiver.answer(path, (reply) => reply.writeHead(410).end());
    await record(caller.customer.id, 'sms.failed', {});
    await untilStates(id, 'missed');
    await record(caller.customer.id, 'sms.delivered', {});
    await untilStates(id, 'missed', 'missed');
    expect((await endpointRow(id))?.disabled_reason).toBe('gone');
    const events = (await (await caller.call('/events?types=webhook.endpoint_disabled&wait=10')).json()) as {
      data: { data: { disabled_at: string } }[];
    };
    const shown = (await (await caller.call(`/webhooks/endpoints/${id}`)).json()) as object;
    expect(shown).toMatchObject({ id, disabled_reason: 'gone' });
    expect(events.data.map(({ data }) => data)).toEqual([shown]);
    receiver.answer(path, undefined);
    const refused = await caller.call(`/webhooks/endpoints/${id}/redeliver`, {
      method: 'POST',
      body: JSON.stringify({ since: '2020-01-01T00:00:00Z' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(refused.status).toBe(409);
    // Nor one by itself, though the customer has another endpoint that is enabled.
    await create(caller, { url: `${receiver.url}${path}/other`, event_types: ['ticket.replied'] });
    const [missed] = await deliveries(id);
    const alone = await caller.call(`/webhooks/deliveries/${missed?.id}/redeliver`, { method: 'POST' });
    await expectProblem(alone, 409, 'webhook_endpoint_disabled');
    await caller.call(`/webhooks/endpoints/${id}`, {
      method: 'PATCH',
      body: JSON.stringify({ enabled: true }),
      headers: { 'content-type': 'application/json' },
    });
    // The first one was made before, and missed then.
    const queued = await post(caller, `/webhooks/endpoints/${id}/redeliver`, {
      since: events.data[0]?.data.disabled_at,
    });
    expect(queued).toEqual({ endpoint_id: id, queued: 2, more: false });
    await untilStates(id, 'delivered', 'delivered');
    expect(receiver.at(path).map(({ event }) => event.type)).toEqual(['sms.failed', 'sms.failed', 'sms.delivered']);
  });

  it('to an endpoint that is down for five days: it is disabled, told, and gets everything on demand', async () => {
    const caller = await createCaller(api, { scopes: ['webhooks:manage', 'events:read'] as never });
    const { id } = await create(caller, { event_types: ['sms.failed'] });
    receiver.answer(path, (reply) => reply.writeHead(500).end());
    for (let day = 0; day < 5; day++) {
      await setDatabaseClock(api.superuser, { aheadBy: `${day} days` });
      await record(caller.customer.id, 'sms.failed', {});
      await until(async () => (await deliveries(id)).at(-1)?.attempts === 1);
      expect((await endpointRow(id))?.disabled_reason).toBeNull();
    }
    // The next repetition of a delivery that has failed before.
    await setDatabaseClock(api.superuser, { aheadBy: '5 days 1 hour' });
    await until(async () => (await endpointRow(id))?.disabled_reason === 'failing');
    await record(caller.customer.id, 'sms.failed', {});
    await until(async () => (await deliveries(id)).length === 6);
    expect((await deliveries(id)).every(({ state }) => ['failed', 'missed'].includes(state))).toBe(true);
    const events = (await (await caller.call('/events?types=webhook.endpoint_disabled&wait=10')).json()) as {
      data: { data: { failing_since: string } }[];
    };
    expect(events.data).toHaveLength(1);
    receiver.answer(path, undefined);
    await caller.call(`/webhooks/endpoints/${id}`, {
      method: 'PATCH',
      body: JSON.stringify({ enabled: true }),
      headers: { 'content-type': 'application/json' },
    });
    const before = receiver.at(path).length;
    // The first one was made before its first attempt, which began this.
    await post(caller, `/webhooks/endpoints/${id}/redeliver`, { since: events.data[0]?.data.failing_since });
    await untilStates(id, ...Array.from({ length: 6 }, () => 'delivered'));
    const ids = receiver
      .at(path)
      .slice(before)
      .map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(6);
  });

  it('to an endpoint that has failed for days and takes one: it fails since the one behind that, and stays in use', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, (reply, { event }) => reply.writeHead(event.type === 'sms.failed' ? 500 : 204).end());
    const long = `update webhook_endpoint set failing_since = app.now() - interval '6 days' where id = $1`;
    await api.superuser.query(long, [id]);
    // Both are due at once, and one has failed before: their results are stored together.
    await api.superuser.query('begin; set local role account_operator');
    for (const type of ['sms.delivered', 'sms.failed']) await record(caller.customer.id, type, {});
    await api.superuser.query('select app.sequence_events($1)', [caller.customer.id]);
    const tried = `update webhook_delivery set attempts = 1 where endpoint_id = $1 and event_type = 'sms.failed'`;
    await api.superuser.query(tried, [id]);
    await api.superuser.query('commit');
    await until(async () => (await deliveries(id))[1]?.attempts === 2);
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'pending']);
    const { disabled_reason, failing_since } = (await endpointRow(id)) ?? {};
    expect(disabled_reason).toBeNull();
    expect(Date.now() - (failing_since?.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it('to an endpoint that failed long ago: not one that fails after a silence ends it, but its repetition; both in the places of such', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, (reply) => reply.writeHead(500).end());
    const long = `update webhook_endpoint set failing_since = app.now() - interval '6 days' where id = $1`;
    await api.superuser.query(long, [id]);
    await record(caller.customer.id);
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    expect((await endpointRow(id))?.disabled_reason).toBeNull();
    await setDatabaseClock(api.superuser, { aheadBy: '6 seconds' });
    await untilStates(id, 'missed');
    expect((await endpointRow(id))?.disabled_reason).toBe('failing');
    const runs = await api.superuser.query<{ group_id: string | null }>(
      `select group_id from pgboss.job where name = 'webhooks.deliver' and singleton_key = $1`,
      [`${caller.customer.id}/${id}`],
    );
    expect(runs.rows.length).toBeGreaterThanOrEqual(2);
    expect([...new Set(runs.rows.map(({ group_id }) => group_id))]).toEqual(['failing']);
  });

  it('to an endpoint that has hung for days: the second attempt ends it, though a long queue has no repetitions yet', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, () => undefined);
    const long = `update webhook_endpoint set failing_since = app.now() - interval '6 days' where id = $1`;
    await api.superuser.query(long, [id]);
    await api.superuser.query('begin');
    for (let count = 0; count < 20; count++) await record(caller.customer.id);
    await api.superuser.query('commit');
    await until(async () => (await endpointRow(id))?.disabled_reason === 'failing');
    expect((await deliveries(id)).map(({ attempts }) => attempts).sort()).toEqual([...Array(18).fill(0), 1, 1]);
    expect(receiver.at(path)).toHaveLength(2);
  });

  it('of a test have an event of their own, ten an hour', async () => {
    const caller = await manager();
    const { id, secret } = await create(caller);
    const delivery = await post<{ event_id: string }>(caller, `/webhooks/endpoints/${id}/test`);
    const [received] = await receiver.until(path, 1);
    expect(received?.event).toMatchObject({ id: delivery.event_id, type: 'webhook.test', data: { endpoint_id: id } });
    new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
    for (let time = 1; time < 10; time++) await post(caller, `/webhooks/endpoints/${id}/test`);
    const refused = await caller.call(`/webhooks/endpoints/${id}/test`, { method: 'POST' });
    expect(refused.status).toBe(429);
    // An hour after the first.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    await receiver.until(path, 10);
  });

  it('of a deactivated customer are not sent, neither what waits nor what comes; after it only what comes', async () => {
    const caller = await manager();
    const { id: customer } = caller.customer;
    const { id } = await create(caller);
    const added = await operatorCommand(
      api.database,
      ['webhook', 'add', '--url', `${receiver.url}${path}/own`, '--types', 'sms.failed', '--json'],
      { environment: { SECRETS_KEY: api.database.config.SECRETS_KEY ?? '' } },
    );
    receiver.answer(path, (reply) => reply.writeHead(500).end());
    await record(customer, 'sms.failed', {});
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    receiver.answer(path, undefined);
    const sent = receiver.at(path).length;
    await operatorCommand(api.database, ['customer', 'deactivate', '--customer', customer, '--yes']);
    await setDatabaseClock(api.superuser, { aheadBy: '6 seconds' });
    await record(customer, 'sms.failed', {});
    const [waited] = await untilStates(id, 'missed', 'missed');
    // The operator's own endpoint gets both.
    await receiver.until(`${path}/own`, 2);
    const again = await operatorCommand(api.database, ['webhook', 'redeliver', '--delivery', waited?.id ?? '']);
    expect(again.stderr).toContain('The customer is deactivated; activate it first');
    await operatorCommand(api.database, ['customer', 'activate', '--customer', customer]);
    await record(customer, 'sms.delivered', {});
    await untilStates(id, 'missed', 'missed', 'delivered');
    const types = receiver
      .at(path)
      .slice(sent)
      .map(({ event }) => event.type);
    expect(types).toEqual(['sms.delivered']);
    const end = `update webhook_endpoint set disabled_at = app.now(), disabled_reason = 'gone' where id = $1`;
    await api.superuser.query(end, [(JSON.parse(added.stdout) as { id: string }).id]);
  });

  it('of a customer that is deactivated while they are being sent end with the one that is under way', async () => {
    // So long that the result is stored before the next one is sent.
    const { customerId, id } = await sendSlowly(1_000, (customer) =>
      api.superuser.query('update customer set active = false where id = $1', [customer]),
    );
    await until(async () => {
      const { rowCount } = await api.superuser.query(
        `select from pgboss.job where name = 'webhooks.deliver' and singleton_key = $1 and state = 'completed'`,
        [`${customerId}/${id}`],
      );
      return (rowCount ?? 0) > 0;
    });
    await worker.get(WebhookQueueService).missStopped();
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'missed', 'missed']);
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('have no records that were taken out of their events while one before was under way', async () => {
    const { id } = await sendSlowly(
      1_000,
      (customer) =>
        api.superuser.query(
          `select app.forget_event_records($1, '{invoice.created}', array(
             select reference->>'id' from event where customer_id = $1))`,
          [customer],
        ),
      async (customer) => {
        const invoice = await saveFakeInvoice(api.superuser, customer, { number: randomUUID() });
        const event = `select app.record_invoice_event($1, 'invoice.created', $2, 'Europe/Oslo')`;
        await api.superuser.query(event, [customer, invoice.id]);
      },
    );
    await untilStates(id, 'delivered', 'delivered', 'delivered');
    const [first, ...later] = receiver.at(path).map(({ event }) => Object.keys(event.data));
    expect(first).toContain('amount_due');
    expect(later).toEqual([['id'], ['id']]);
  });

  it('that were sent to a former address are sent to the new one, whatever the former one answers', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    const moved = `${path}/moved`;
    const change = { url: receiver.url + moved };
    receiver.answer(
      path,
      (reply) =>
        void caller
          .call(`/webhooks/endpoints/${id}`, {
            method: 'PATCH',
            body: JSON.stringify(change),
            headers: { 'content-type': 'application/json' },
          })
          .then(() => reply.writeHead(410).end()),
    );
    await api.superuser.query('begin');
    for (let count = 0; count < 3; count++) await record(caller.customer.id);
    await api.superuser.query('commit');
    await untilStates(id, 'delivered', 'delivered', 'delivered');
    expect(receiver.at(moved)).toHaveLength(3);
    expect(receiver.at(path)).toHaveLength(1);
    expect(await endpointRow(id)).toEqual({ disabled_reason: null, failing_since: null });
  });

  it('that are missed while they are being sent stay so', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    let answer = () => undefined as unknown;
    receiver.answer(path, (reply) => void (answer = () => reply.writeHead(204).end()));
    await record(caller.customer.id);
    await receiver.until(path, 1);
    for (const enabled of [false, true])
      await caller.call(`/webhooks/endpoints/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ enabled }),
        headers: { 'content-type': 'application/json' },
      });
    receiver.answer(path, undefined);
    answer();
    // The next one is sent behind it, in the same run or a later one.
    await record(caller.customer.id);
    await untilStates(id, 'missed', 'delivered');
    expect((await deliveries(id))[0]?.attempts).toBe(0);
  });

  it('that are queued again during an attempt are due at once, though it fails; or done, if it is accepted', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    let answer = (_status: number) => undefined as unknown;
    receiver.answer(path, (reply) => void (answer = (status) => reply.writeHead(status).end()));
    await record(caller.customer.id);
    await receiver.until(path, 1);
    answer(500);
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    const [delivery] = await deliveries(id);
    // Ten hours would pass behind the next one.
    const again = 'update webhook_delivery set attempts = 5, next_attempt_at = $2 where endpoint_id = $1';
    await api.superuser.query(again, [id, new Date()]);
    await receiver.until(path, 2);
    const since = { since: new Date(Date.now() - 60_000).toISOString() };
    expect(await post(caller, `/webhooks/endpoints/${id}/redeliver`, since)).toMatchObject({ queued: 1, more: false });
    answer(500);
    await receiver.until(path, 3);
    const redelivered = await post(caller, `/webhooks/deliveries/${delivery?.id}/redeliver`);
    answer(204);
    expect(redelivered).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await untilStates(id, 'delivered')).toMatchObject([{ attempts: 1 }]);
    expect(receiver.at(path)).toHaveLength(3);
  });

  it('are recorded while the endpoint is being changed: neither waits for what the other has', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    receiver.answer(path, (reply) => reply.writeHead(500).end());
    await record(caller.customer.id);
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    const { rows: waiting } = await api.superuser.query<{ id: string; queued_at: string }>(
      'select id, queued_at::text from webhook_delivery where endpoint_id = $1',
      [id],
    );
    const [ids, queued] = [waiting.map((row) => row.id), waiting.map(({ queued_at }) => queued_at)];
    await api.superuser.query('begin');
    const locked = 'select from webhook_endpoint where customer_id = $1 and id = $2 for update';
    await api.superuser.query(locked, [caller.customer.id, id]);
    const recorded = worker
      .get(DataSource)
      .query('select more from app.record_webhook_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9, false, false)', [
        ...[caller.customer.id, id, receiver.url + path, ids, queued, [500], [null], [false], [5]],
      ]);
    await waitForLocks(api.superuser, 1);
    // As app.change_webhook_endpoint does.
    await api.superuser.query(`update webhook_delivery set state = 'missed' where endpoint_id = $1`, [id]);
    await api.superuser.query('commit');
    await recorded;
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['missed']);
  });

  it('are sent and stored though some before and between them cannot be made', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    const bodies = worker.get(EventBodiesPort);
    const original = bodies.write.bind(bodies);
    const write = jest.spyOn(bodies, 'write').mockImplementation((event, scopes) => {
      if (event.type === 'sms.unknown') throw new Error('no body');
      return original(event, scopes);
    });
    // More than are read at a time.
    const faulty = Array.from({ length: 12 }, () => 'sms.unknown');
    const types = ['token.expiring', ...faulty, 'token.expiring'];
    await api.superuser.query('begin');
    for (const type of types) await record(caller.customer.id, type, {});
    await api.superuser.query('commit');
    await untilStates(id, ...types.map((type) => (type === 'sms.unknown' ? 'pending' : 'delivered')));
    write.mockRestore();
    await untilStates(id, ...types.map(() => 'delivered'));
    // Each was sent once.
    expect(receiver.at(path)).toHaveLength(types.length);
  });

  it('wait up to a bound of bytes; more is missed, and can be redelivered', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    await api.superuser.query('update webhook_endpoint set queue_full = true where id = $1', [id]);
    // Before the next measurement, which finds that nothing waits.
    await api.superuser.query('begin; set local role account_operator');
    await api.superuser.query('update webhook_endpoint set queue_full = true where id = $1', [id]);
    await record(caller.customer.id);
    await api.superuser.query('select app.sequence_events($1)', [caller.customer.id]);
    const { rows: refused } = await api.superuser.query(
      `select outcome, queued from app.redeliver_webhooks_since($1, $2, '2020-01-01', 10000, 'a test')`,
      [caller.customer.id, id],
    );
    await api.superuser.query('commit');
    expect(refused).toEqual([{ outcome: 'full', queued: 0 }]);
    await untilStates(id, 'missed');
    await until(async () => {
      const { rows } = await api.superuser.query('select from webhook_endpoint where id = $1 and not queue_full', [id]);
      return rows.length === 1;
    });
    await post(caller, `/webhooks/endpoints/${id}/redeliver`, { since: '2020-01-01T00:00:00Z' });
    await receiver.until(path, 1);
  });

  it('are queued again up to a number at a time, the oldest first; the reply says whether others are left', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    await api.superuser.query('begin; set local role account_operator');
    await api.superuser.query('update webhook_endpoint set queue_full = true where id = $1', [id]);
    await record(caller.customer.id);
    await record(caller.customer.id);
    await api.superuser.query('select app.sequence_events($1)', [caller.customer.id]);
    await api.superuser.query('update webhook_endpoint set queue_full = false where id = $1', [id]);
    const most = `select outcome, queued, more from app.redeliver_webhooks_since($1, $2, '2020-01-01', 1, 'a test')`;
    const replies = [];
    for (let call = 1; call <= 3; call += 1)
      replies.push((await api.superuser.query(most, [caller.customer.id, id])).rows[0]);
    // As much waits as may, and nothing that is not among it has failed or was missed.
    await api.superuser.query('update webhook_endpoint set queue_full = true where id = $1', [id]);
    replies.push((await api.superuser.query(most, [caller.customer.id, id])).rows[0]);
    await api.superuser.query('commit');
    const [some, none] = [
      { outcome: 'queued', queued: 1 },
      { outcome: 'queued', queued: 0, more: false },
    ];
    expect(replies).toEqual([{ ...some, more: true }, { ...some, more: false }, none, none]);
    await untilStates(id, 'delivered', 'delivered');
  });

  it('are queued again if they wait for a time that the database’s clock had shown before it was set back', async () => {
    const caller = await manager();
    const { id } = await create(caller);
    await api.superuser.query('begin; set local role account_operator');
    await record(caller.customer.id);
    await api.superuser.query('select app.sequence_events($1)', [caller.customer.id]);
    await api.superuser.query(
      'update webhook_delivery set queued_at = $2, next_attempt_at = $2 where endpoint_id = $1',
      [id, new Date(Date.now() + 7_200_000)],
    );
    await api.superuser.query('commit');
    const since = { since: new Date(Date.now() - 60_000).toISOString() };
    expect(await post(caller, `/webhooks/endpoints/${id}/redeliver`, since)).toMatchObject({ queued: 1, more: false });
    await untilStates(id, 'delivered');
  });

  it("reach that bound for a customer's endpoints, and never for the operator's own", async () => {
    const [busy, other] = [await manager(), await manager()];
    const url = receiver.url + path;
    receiver.answer(path, (reply) => reply.writeHead(500).end());
    const [{ id }, { id: others }] = [await create(busy), await create(other)];
    const environment = { SECRETS_KEY: api.database.config.SECRETS_KEY ?? '' };
    const added = await operatorCommand(
      api.database,
      ['webhook', 'add', '--url', url, '--types', 'sms.failed', '--json'],
      {
        environment,
      },
    );
    const own = (JSON.parse(added.stdout) as { id: string }).id;
    await record(busy.customer.id, 'sms.failed', {});
    for (const endpoint of [id, own]) await until(async () => (await deliveries(endpoint))[0]?.attempts === 1);
    const most = api.database.config.WEBHOOK_QUEUE_BYTES;
    // Those of other tests, which wait for nothing any more.
    await api.superuser.query(`update webhook_delivery set bytes = $1 where state <> 'pending'`, [most]);
    await api.superuser.query('update webhook_delivery set bytes = $1 where endpoint_id = any ($2)', [most, [id, own]]);
    await until(async () => {
      const { rows } = await api.superuser.query<{ id: string }>('select id from webhook_endpoint where queue_full');
      return rows.map((row) => row.id).join() === id;
    });
    await record(busy.customer.id, 'sms.failed', {});
    await untilStates(id, 'pending', 'missed');
    // What waits already may be sent at once, and nothing else be added to it.
    const missed = (await deliveries(id)).find(({ state }) => state === 'missed');
    const one = await busy.call(`/webhooks/deliveries/${missed?.id}/redeliver`, { method: 'POST' });
    expect([one.status, one.headers.get('retry-after')]).toEqual([429, '10']);
    const all = await post(busy, `/webhooks/endpoints/${id}/redeliver`, { since: '2020-01-01T00:00:00Z' });
    expect(all).toMatchObject({ queued: 1, more: true });
    const again = await operatorCommand(api.database, ['webhook', 'redeliver', '--delivery', missed?.id ?? ''], {
      environment,
    });
    expect(again.stderr).toContain("As much waits for the customer's endpoints as may");
    await untilStates(id, 'pending', 'missed');
    await until(async () => (await deliveries(own)).length === 2);
    expect((await deliveries(own)).map(({ state }) => state)).toEqual(['pending', 'pending']);
    expect(await deliveries(others)).toEqual([]);
    const end = `update webhook_endpoint set disabled_at = app.now(), disabled_reason = 'gone' where id = $1`;
    await api.superuser.query(end, [own]);
  });

  it("to the operator's endpoints are of all customers' events, and of the operator's own types", async () => {
    const added = await operatorCommand(
      api.database,
      ['webhook', 'add', '--url', receiver.url + path, '--types', 'credit_request.created,sms.failed', '--json'],
      { environment: { SECRETS_KEY: api.database.config.SECRETS_KEY ?? '' } },
    );
    const { secret, customer_id } = JSON.parse(added.stdout) as { secret: string; customer_id: null };
    expect(customer_id).toBeNull();
    const [one, other] = [await manager(), await manager()];
    await create(one);
    const { id: others } = await create(other);
    await record(one.customer.id, 'sms.failed', {});
    await record(other.customer.id, 'sms.failed', {});
    await api.superuser.query('select app.record_operator_event($1, $2, $3, $4)', [
      other.customer.id,
      'credit_request.created',
      { id: 5 },
      {},
    ]);
    await until(() => receiver.at(path).length >= 5);
    const types = receiver.at(path).map(({ event }) => event.type);
    // Two of them arrived at the customers' own endpoints, which have the same address and get all types.
    expect(types.sort()).toEqual(['credit_request.created', ...Array<string>(4).fill('sms.failed')]);
    expect(await deliveries(others)).toHaveLength(1);
    const own = receiver.at(path).find(({ event }) => event.type === 'credit_request.created');
    new Webhook(secret).verify(own?.body ?? '', own?.headers as Record<string, string>);
  });

  it("have the event as GET /events shows it, at a customer's endpoint and at the operator's own", async () => {
    const caller = await manager(['events:read', 'invoices:read']);
    await create(caller, { event_types: ['invoice.created'] });
    await operatorCommand(
      api.database,
      ['webhook', 'add', '--url', receiver.url + path, '--types', 'invoice.created', '--json'],
      { environment: { SECRETS_KEY: api.database.config.SECRETS_KEY ?? '' } },
    );
    const { id: invoiceId } = await saveFakeInvoice(api.superuser, caller.customer.id, { pdfReference: 'inv_1' });
    await api.superuser.query(`select app.record_invoice_event($1, 'invoice.created', $2, 'Europe/Oslo')`, [
      caller.customer.id,
      invoiceId,
    ]);
    const received = await receiver.until(path, 2);
    const { data } = (await (await caller.call('/events')).json()) as EventPageDto;
    expect(data).toMatchObject([{ data: { id: invoiceId, pdf_url: expect.stringContaining(invoiceId) } }]);
    expect(received.map(({ event }) => event)).toEqual([...data, ...data]);
  });

  it("reach a private address only from the operator's own endpoints, unless the settings allow it", async () => {
    const caller = await manager();
    const { id } = await create(caller, { event_types: ['sms.failed'] });
    const added = await operatorCommand(
      api.database,
      ['webhook', 'add', '--url', receiver.url + path, '--types', 'sms.failed', '--json'],
      { environment: { SECRETS_KEY: api.database.config.SECRETS_KEY ?? '' } },
    );
    const own = (JSON.parse(added.stdout) as { id: string }).id;
    jest.replaceProperty(api.database.config, 'WEBHOOK_ALLOW_PRIVATE', false);
    await record(caller.customer.id, 'sms.failed', {});
    await untilStates(own, 'delivered');
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    expect(await deliveries(id)).toMatchObject([
      { state: 'pending', last_status: null, last_error: 'address_refused' },
    ]);
    expect(receiver.at(path)).toHaveLength(1);
  });
});
