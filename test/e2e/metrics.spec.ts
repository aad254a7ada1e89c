import type { AddressInfo } from 'node:net';
import { CreditLedger } from '@domains/ai';
import { DatabaseUnavailableError } from '@platform/database';
import { InternalListenerService } from '@platform/internal-listener';
import { Metrics } from '@platform/metrics';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { createCaller } from '@test/api';
import { until } from '@test/until';

/** What happens through HTTP, and by how much the series of a scrape grow. */
describe("the API's metrics", () => {
  let fixture: FullApi;
  let me: Awaited<ReturnType<typeof createFullCaller>>;
  beforeAll(async () => {
    fixture = await startFullApi({ UPSTREAM_BREAKER_FAILURES: '4', UPSTREAM_BREAKER_SPREAD_MS: '0' });
    me = await createFullCaller(fixture);
  });
  afterAll(() => fixture.stop());
  beforeEach(() => fixture.sandbox.reset());

  /** The value of each series, by its name with its labels. */
  async function scrape(): Promise<Map<string, number>> {
    const { port } = fixture.api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return new Map(
      [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
    );
  }

  /** The growth of each series while this happens, those that did not grow left out. */
  async function growth(work: () => Promise<unknown>): Promise<(series: string) => number> {
    const before = await scrape();
    await work();
    let after = new Map<string, number>();
    // A request is counted when the last of its reply has left.
    await until(async () => {
      after = await scrape();
      return [...after].some(([name, value]) => name.includes('_seconds_count') && value > (before.get(name) ?? 0));
    });
    return (series) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
  }

  const post = (path: string, body: object, caller = me) =>
    caller.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const ask = (caller = me) =>
    post('/ai/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }, caller);

  it('have their times in buckets that grow', async () => {
    await (await me.call('/customer')).text();
    const buckets = new Map<string, number[]>();
    for (const series of (await scrape()).keys()) {
      const [, bound] = /_bucket\{.*?le="([^"]+)"/.exec(series) ?? [];
      const key = series.replace(/,?le="[^"]+"/, '');
      if (bound !== undefined)
        buckets.set(key, [...(buckets.get(key) ?? []), Number(bound.replace('+Inf', 'Infinity'))]);
    }
    expect([...buckets.keys()].join()).toContain('http_request_duration_seconds');
    for (const [name, bounds] of buckets) expect([name, bounds]).toEqual([name, bounds.toSorted((a, b) => a - b)]);
  });

  it('are refused with 500 and no details when they cannot be read', async () => {
    const reading = jest.spyOn(fixture.api.app.get(Metrics, { strict: false }).registry, 'contentType', 'get');
    reading.mockImplementation(() => {
      throw new Error('a secret of the process');
    });
    const { port } = fixture.api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    reading.mockRestore();
    expect([reply.status, await reply.json()]).toEqual([500, { status: 'error' }]);
  });

  it('count a request by its method, the pattern of its route and its status, in seconds', async () => {
    const ticket = '/support/tickets/00000000-0000-7000-8000-000000000000';
    const grown = await growth(async () => {
      expect((await me.call('/services')).status).toBe(200);
      expect((await me.call(ticket)).status).toBe(404);
      expect((await me.call('/nowhere')).status).toBe(404);
    });
    const series = (route: string, status: number) => `{method="GET",route="${route}",status="${status}"}`;
    const services = series('/api/v1/services', 200);
    expect(grown(`http_request_duration_seconds_count${services}`)).toBe(1);
    const took = grown(`http_request_duration_seconds_sum${services}`);
    expect(took).toBeGreaterThan(0);
    expect(took).toBeLessThan(10);
    expect(grown(`http_request_duration_seconds_count${series('/api/v1/support/tickets/:id', 404)}`)).toBe(1);
    expect(grown(`http_request_duration_seconds_count${series('unknown', 404)}`)).toBe(1);
  });

  it('count what an AI message cost and used, and the call of the provider', async () => {
    const usage = {
      input_tokens: 11,
      output_tokens: 7,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      cache_read_input_tokens: 13,
    };
    fixture.sandbox.messages.script({ usage: JSON.stringify(usage) });
    const grown = await growth(async () => {
      const reply = await ask();
      expect(reply.status).toBe(201);
      await reply.text();
    });
    expect(
      ['input', 'cache_write', 'cache_read', 'output'].map((kind) => grown(`ai_tokens_total{kind="${kind}"}`)),
    ).toEqual([11, 5, 13, 7]);
    // 11 × 0.001 + 2 × 0.00125 + 3 × 0.002 + 13 × 0.0001 + 7 × 0.005
    expect(grown('ai_charged_nok_total')).toBeCloseTo(0.0558, 10);
    expect(grown('ai_uncovered_calls_total{cause="beyond_reservation"}')).toBe(0);
    const call = 'upstream="ai-provider",operation="messages",outcome="200"';
    expect(grown(`upstream_call_duration_seconds_count{${call}}`)).toBe(1);
    const took = grown(`upstream_call_duration_seconds_sum{${call}}`);
    expect(took).toBeGreaterThan(0);
    expect(took).toBeLessThan(5);
    expect(grown('upstream_reply_bytes_total{upstream="ai-provider"}')).toBeGreaterThan(100);
    expect(grown('upstream_reply_bytes_total{upstream="ai-provider"}')).toBeLessThan(10_000);
    expect(grown('upstream_reply_bytes_held')).toBe(0);
  });

  it('count what a call cost beyond its reservation', async () => {
    fixture.sandbox.messages.script({ usage: JSON.stringify({ input_tokens: 1_000_000, output_tokens: 0 }) });
    const grown = await growth(async () => {
      const reply = await ask();
      expect(reply.status).toBe(201);
      await reply.text();
    });
    expect(grown('ai_uncovered_calls_total{cause="beyond_reservation"}')).toBe(1);
    expect(grown('ai_uncovered_calls_total{cause="reservation_given_up"}')).toBe(0);
    const uncovered = grown('ai_uncovered_nok_total{cause="beyond_reservation"}');
    expect(uncovered).toBeGreaterThan(0);
    // The provider's 1,000 NOK are either charged or uncovered.
    expect(grown('ai_charged_nok_total') + uncovered).toBeCloseTo(1000, 6);
  });

  it('show a call that waits, and an upstream that counts as down', async () => {
    const state = async (name: string) => (await scrape()).get(`${name}{upstream="ai-provider"}`);
    expect(await state('upstream_circuit_open')).toBe(0);
    expect(await state('upstream_calls_waiting')).toBe(0);
    const gate = fixture.sandbox.messages.hold();
    const asked = ask();
    await fixture.sandbox.messages.received(1);
    expect(await state('upstream_calls_waiting')).toBe(1);
    gate.open();
    expect((await asked).status).toBe(201);
    await until(async () => (await state('upstream_calls_waiting')) === 0);
    const other = await createFullCaller(fixture);
    for (const caller of [me, other, me, other]) {
      expect(await state('upstream_circuit_open')).toBe(0);
      fixture.sandbox.messages.script({ status: 500 });
      expect((await ask(caller)).status).toBeGreaterThanOrEqual(500);
    }
    expect(await state('upstream_circuit_open')).toBe(1);
  });

  it('count an SMS by the answer of its gateway', async () => {
    const grown = await growth(async () => {
      expect((await post('/sms/send', { to: '+4790000000', message: 'Hello' })).status).toBe(201);
    });
    const counted = ['accepted', 'sent', 'delivered', 'failed', 'unknown'].map((status) =>
      grown(`sms_sent_total{status="${status}"}`),
    );
    expect(counted.reduce((sum, count) => sum + count)).toBe(1);
    expect(counted[0]).toBe(1);
  });
});

describe('the metric of calls that cost more than was charged', () => {
  let fixture: FullApi;
  beforeAll(async () => (fixture = await startFullApi()));
  afterAll(() => fixture.stop());

  it('has the cause of one that is answered after its reservation was given up', async () => {
    const { call, customer } = await createFullCaller(fixture);
    const gate = fixture.sandbox.messages.hold();
    const asked = call('/ai/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }),
    });
    await fixture.sandbox.messages.received(1);
    const { superuser } = fixture.api;
    await superuser.query('update ai_reservation set deadline = app.now() where customer_id = $1', [customer.id]);
    await superuser.query('select app.ai_resolve_abandoned($1)', [customer.id]);
    gate.open();
    expect((await asked).status).toBe(201);
    const { port } = fixture.api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain('ai_uncovered_calls_total{cause="reservation_given_up"} 1\n');
    expect(text).toContain('ai_uncovered_calls_total{cause="beyond_reservation"} 0\n');
  });
});

describe('the metric of charges', () => {
  let fixture: FullApi;
  beforeAll(async () => (fixture = await startFullApi({ AI_RESERVATION_MARGIN_MS: '1000' })));
  afterAll(() => fixture.stop());

  it('has one of a call whose caller was told that nobody knows', async () => {
    const { call } = await createFullCaller(fixture);
    const ledger = fixture.api.app.get(CreditLedger);
    const settle = ledger.settle.bind(ledger);
    const unavailable = () => new DatabaseUnavailableError(new Error('the confirmation is lost'));
    jest.spyOn(ledger, 'settle').mockImplementation(async (settlement) => {
      await settle(settlement);
      throw unavailable();
    });
    jest.spyOn(ledger, 'release').mockRejectedValue(unavailable());
    const reply = await call('/ai/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }),
    });
    expect(reply.status).toBe(503);
    const { port } = fixture.api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    const charged = async () =>
      Number(/^ai_charged_nok_total (.*)$/m.exec(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())?.[1]);
    expect(await charged()).toBe(0);
    jest.restoreAllMocks();
    await until(async () => (await charged()) > 0);
    const { ai } = (await (await call('/ai')).json()) as { ai: { current_month_usage: number } };
    expect(await charged()).toBeCloseTo(ai.current_month_usage, 10);
  });
});

describe('the metric of refused requests', () => {
  let fixture: FullApi;
  beforeAll(async () => (fixture = await startFullApi({ RATE_LIMIT_REQUESTS_PER_MINUTE: '1' })));
  afterAll(() => fixture.stop());

  it('has a series for each of 100 customers, and one for all others', async () => {
    const refused = async () => {
      const { call, customer } = await createCaller(fixture.api);
      await call('/services');
      expect((await call('/services')).status).toBe(429);
      return customer.id;
    };
    const { port } = fixture.api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const customers: string[] = [];
    for (let count = 0; count < 102; count++) customers.push(await refused());
    const text = await scrape();
    for (const [index, id] of customers.entries())
      expect(text.includes(`rate_limited_requests_total{customer_id="${id}"} 1\n`)).toBe(index < 100);
    expect(text).toContain('rate_limited_requests_total{customer_id="others"} 2\n');
    expect(text).toContain('rate_limited_requests_total{customer_id="none"} 0\n');
  });
});

describe('the metric of requests', () => {
  let fixture: FullApi;
  beforeAll(async () => (fixture = await startFullApi({ RATE_LIMIT_ADDRESS_PER_MINUTE: '2' })));
  afterAll(() => fixture.stop());

  it('has those that the limit of an address refuses', async () => {
    const { call } = await createCaller(fixture.api);
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) statuses.push((await call('/services')).status);
    expect(statuses).toEqual([200, 200, 429]);
    const { port } = fixture.api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    await until(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return (
        text.includes('_seconds_count{method="GET",route="/api/v1/services",status="429"} 1\n') &&
        text.includes('rate_limited_requests_total{customer_id="none"} 1\n')
      );
    });
  });
});
