import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { caller } from '@test/api';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { type ReceivedSpan, startTraceCollector, type TraceCollector } from '@test/trace-collector';
import { until } from '@test/until';
import { useTestDatabase } from '@test/use-test-database';
import { startWorkerProcess } from '@test/worker-process';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${CALLER.trace}-${CALLER.span}-01`;
const PRELOAD = `--require=${join(process.cwd(), 'test', 'support', 'loaded-modules.cjs')}`;
const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];

const database = useTestDatabase();

describe('traces', () => {
  let collector: TraceCollector;
  let sandbox: Sandbox;
  let api: ApiProcess;
  let customerId: string;
  let token: string;

  const settings = (more: Record<string, string> = {}) => ({
    DATABASE_URL: database.url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'sk-of-the-service',
    ...more,
  });
  const ofTrace = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);
  const spanNamed = (spans: ReceivedSpan[], name: string) => spans.find((span) => span.name === name);
  const call = (path: string, init?: RequestInit) => caller(api.baseUrl, token)(path, init);

  beforeAll(async () => {
    [collector, sandbox] = [await startTraceCollector(), await startSandbox()];
    customerId = (await saveFakeCustomer(database.superuser)).id;
    token = (await saveFakeToken(database.superuser, customerId)).token;
    const model = await saveModelPrice(database.superuser);
    await enableAi(database.superuser, customerId, { model, included: 100 });
    api = await startApiProcess(
      settings({
        LOG_LEVEL: 'info',
        NODE_OPTIONS: PRELOAD,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
      }),
    );
  });
  afterAll(async () => {
    await api.stop();
    await collector.close();
    await sandbox.close();
  });

  describe('of an AI message of a caller that has a trace', () => {
    let spans: ReceivedSpan[];
    beforeAll(async () => {
      const { status } = await call('/ai/messages?secret=in-the-address', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          traceparent: TRACEPARENT,
          tracestate: 'theirs=1',
          baggage: 'customer=secret',
          'x-request-id': 'of-the-caller',
        },
        body: JSON.stringify({ max_tokens: 300, messages: [{ role: 'user', content: 'What the customer wrote' }] }),
      });
      expect(status).toBe(201);
      await until(() => ofTrace(CALLER.trace).some(({ kind }) => kind === SERVER), 50);
      spans = ofTrace(CALLER.trace);
    });

    it('have the request below the span of the caller', () => {
      const [request, ...others] = spans.filter(({ kind }) => kind === SERVER);
      expect(others).toEqual([]);
      expect(request).toMatchObject({ parentSpanId: CALLER.span, name: 'POST /api/v1/ai/messages' });
      // Only what failed has a status.
      expect(spans.map(({ status }) => status.code ?? 0)).toEqual(spans.map(() => 0));
      expect(request?.attributes).toEqual({
        'http.request.method': 'POST',
        'http.route': '/api/v1/ai/messages',
        'http.response.status_code': 201,
        'customer.id': customerId,
        'request.id': 'of-the-caller',
      });
    });

    it('have what was done in the database and at the provider below the request', () => {
      const request = spans.find(({ kind }) => kind === SERVER);
      for (const name of ['ai.reserve', 'ai.settle'])
        expect(spanNamed(spans, name)).toMatchObject({
          parentSpanId: request?.spanId,
          kind: CLIENT,
          attributes: { 'db.system.name': 'postgresql' },
        });
      expect(spanNamed(spans, 'ai-provider messages')).toMatchObject({
        parentSpanId: request?.spanId,
        kind: CLIENT,
        attributes: { 'upstream.outcome': '200', 'http.response.status_code': 200, 'upstream.attempts': 1 },
      });
    });

    it('go on at the provider, without the baggage of the caller', () => {
      const sent = sandbox.messages.requests.at(-1);
      const upstream = spanNamed(spans, 'ai-provider messages');
      expect(sent?.headers).toMatchObject({
        traceparent: `00-${CALLER.trace}-${upstream?.spanId}-01`,
        tracestate: 'theirs=1',
      });
      expect(sent?.headers).not.toHaveProperty('baggage');
    });

    it('are found from the log lines of the request', async () => {
      const lines = () =>
        api
          .output()
          .stdout.split('\n')
          .filter((line) => line.includes('"of-the-caller"'))
          .map((line) => JSON.parse(line) as { msg: string; trace_id: string });
      await until(() => lines().some(({ msg }) => msg === 'request'), 50);
      expect(lines().map(({ msg }) => msg)).toContain('upstream call');
      expect(new Set(lines().map(({ trace_id }) => trace_id))).toEqual(new Set([CALLER.trace]));
    });

    it('contain no secret and nothing that anybody wrote', () => {
      const all = collector.bodies.join('\n');
      for (const secret of [token, 'sk-of-the-service', 'in-the-address', 'What the customer wrote', 'select '])
        expect(all).not.toContain(secret);
      expect(spans.flatMap(({ events }) => events)).toEqual([]);
      expect(collector.headers.at(-1)).toMatchObject({ authorization: 'Bearer of-the-collector' });
    });
  });

  it('of a list have the statement that reads it', async () => {
    const trace = randomBytes(16).toString('hex');
    await call('/services', { headers: { traceparent: `00-${trace}-${CALLER.span}-01` } });
    await until(() => ofTrace(trace).length > 1, 50);
    const request = ofTrace(trace).find(({ kind }) => kind === SERVER);
    const below = ofTrace(trace).filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(below.map(({ name }) => name).join()).toMatch(/service/);
  });

  it('begin here for a caller without one, or with an unreadable one, and are not for health checks', async () => {
    const before = collector.spans.length;
    await fetch(`${api.origin}/health/ready`);
    await call('/customer');
    await call('/status', { headers: { traceparent: `00-${'0'.repeat(32)}-x-01` } });
    const requests = () => collector.spans.slice(before).filter(({ kind }) => kind === SERVER);
    await until(() => requests().length >= 2, 50);
    expect(requests().map(({ name, parentSpanId }) => [name, parentSpanId || undefined])).toEqual([
      ['GET /api/v1/customer', undefined],
      ['GET /api/v1/status', undefined],
    ]);
  });

  it('are not recorded for a caller whose trace is not', async () => {
    const trace = randomBytes(16).toString('hex');
    await call('/customer', { headers: { traceparent: `00-${trace}-${CALLER.span}-00` } });
    const before = collector.spans.length;
    await call('/customer');
    await until(() => collector.spans.length > before, 50);
    expect(ofTrace(trace)).toEqual([]);
  });

  it('show that the provider failed, and no message of it', async () => {
    const trace = randomBytes(16).toString('hex');
    const { status } = await call('/ai/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${trace}-${CALLER.span}-01` },
      body: JSON.stringify({ messages: [{ role: 'user', content: '[[sandbox:status=529]]' }] }),
    });
    expect(status).toBe(502);
    await until(() => ofTrace(trace).some(({ kind }) => kind === SERVER), 50);
    expect(spanNamed(ofTrace(trace), 'ai-provider messages')).toMatchObject({
      attributes: { 'upstream.outcome': '529' },
      status: { code: 2 },
    });
    expect(ofTrace(trace).map(({ status: { message } }) => message ?? '')).toEqual(ofTrace(trace).map(() => ''));
  });

  it('show no status, and no fault, of a request whose caller has disconnected', async () => {
    const trace = randomBytes(16).toString('hex');
    const gate = sandbox.messages.hold();
    const leaving = new AbortController();
    const sent = call('/ai/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${trace}-${CALLER.span}-01` },
      body: JSON.stringify({ max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }),
      signal: leaving.signal,
    });
    await gate.holding(1);
    leaving.abort();
    await expect(sent).rejects.toThrow(/abort/);
    gate.open();
    await until(() => ofTrace(trace).some(({ kind }) => kind === SERVER), 50);
    const request = ofTrace(trace).find(({ kind }) => kind === SERVER);
    expect(request?.attributes).not.toHaveProperty(['http.response.status_code']);
    expect(request?.status.code ?? 0).toBe(0);
  });

  it('have the jobs of the worker, each with a trace of its own and its statements', async () => {
    const worker = await startWorkerProcess(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }));
    const job = () => collector.spans.find(({ kind, name }) => kind === CONSUMER && name === 'ai.roll-months-over');
    const completed = `select from pgboss.job where name = 'ai.roll-months-over' and state = 'completed'`;
    await until(async () => (await database.superuser.query(completed)).rows.length > 0, 50);
    // What has not been sent yet is sent at the end.
    await worker.stop();
    expect(job()?.parentSpanId || undefined).toBeUndefined();
    expect(ofTrace(job()?.traceId ?? '').filter(({ kind }) => kind === CLIENT).length).toBeGreaterThan(0);
    // What polls by itself begins none.
    expect(collector.spans.filter(({ kind, parentSpanId }) => kind === CLIENT && !parentSpanId)).toEqual([]);
  }, 240_000);

  it('disturb no request while the collector refuses them, and the log says so without its words', async () => {
    collector.mode = 'refuses';
    expect((await call('/customer')).status).toBe(200);
    await until(() => api.output().stdout.includes('traces cannot be sent'), 50);
    expect(api.output().stdout).not.toContain('a secret of the collector');
    collector.mode = 'takes';
  });

  it('disturb no request while the collector hangs, and keep the process from ending for seconds at most', async () => {
    collector.mode = 'hangs';
    const before = collector.bodies.length;
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('/customer')));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    await until(() => collector.bodies.length > before, 50);
    expect((await call('/customer')).status).toBe(200);
    const began = performance.now();
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('load nothing of OpenTelemetry when they are off', async () => {
    const own = await startApiProcess(settings({ NODE_OPTIONS: PRELOAD }));
    expect((await caller(own.baseUrl, token)('/customer')).status).toBe(200);
    await own.stop();
    expect(modulesLoaded(own)).toBe(0);
    expect(modulesLoaded(api)).toBeGreaterThan(10);
  }, 240_000);
});

function modulesLoaded(api: ApiProcess): number {
  return Number(/modules of OpenTelemetry: (\d+)/.exec(api.output().stderr)?.[1]);
}
