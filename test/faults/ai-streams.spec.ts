import { createConnection, type Socket } from 'node:net';
import { CallsInFlightService, CreditLedger } from '@domains/ai';
import { BodyMemory } from '@platform/http';
import { Metrics } from '@platform/metrics';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { balancesOf } from '@test/ai.fixture';
import { until } from '@test/until';

const EVERY_MS = 60_000;
const START = 'event: message_start\ndata: {"message":{"usage":{"input_tokens":3,"output_tokens":1}}}\n\n';

it('A streamed AI message that goes on for longer than the provider may be silent is whole, and charged', async () => {
  const ai = await startAiApi({ AI_UPSTREAM_TIMEOUT_MS: '2000' });
  try {
    const { post, customer } = await createAiCaller(ai);
    const content = `${'a'.repeat(200)} [[sandbox:events=60]] [[sandbox:event-delay=60]]`;
    const message = { messages: [{ role: 'user', content }], max_tokens: 500, stream: true };
    const begun = performance.now();
    expect(await (await post('/ai/v1/messages', message)).text()).toContain('event: message_stop');
    expect(performance.now() - begun).toBeGreaterThan(2_500);
    const { rows } = await ai.api.superuser.query('select streamed from ai_usage where customer_id = $1', [
      customer.id,
    ]);
    expect(rows).toEqual([{ streamed: true }]);
  } finally {
    await ai.stop();
  }
}, 240_000);

describe('A streamed AI message', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi({ AI_STREAM_PATIENCE_MS: '500', AI_UPSTREAM_TIMEOUT_MS: '8000' })));
  afterAll(() => ai.stop());
  afterEach(() => ai.sandbox.reset());

  const body = (text: string, max_tokens = 50) => ({
    messages: [{ role: 'user', content: text }],
    max_tokens,
    stream: true,
  });
  const balances = (customerId: string) => balancesOf(ai.api.superuser, customerId);
  const reservations = async (customerId: string) =>
    (await ai.api.superuser.query('select state, reason from ai_reservation where customer_id = $1', [customerId]))
      .rows;
  const usages = async (customerId: string) =>
    (await ai.api.superuser.query('select output_tokens, streamed from ai_usage where customer_id = $1', [customerId]))
      .rows;
  const memory = () => ai.api.app.get(BodyMemory, { strict: false });
  const inFlight = () => ai.api.app.get(CallsInFlightService, { strict: false }).count;

  /** Sends a request on a connection of its own, and reads only what the test reads. */
  async function open(token: string, request: object): Promise<Socket> {
    const text = JSON.stringify(request);
    const { hostname, port } = new URL(ai.api.origin);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/v1/ai/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return socket;
  }

  it.each([
    ['is cut off', '[[sandbox:stream-cut=5]]', /upstream cut_off/],
    ['ends without its last event', '[[sandbox:stream-close=5]]', /NO_MESSAGE_STOP/],
    ['fails with an error event', '[[sandbox:stream-error=overloaded_error]]', /error event overloaded_error/],
    ['never goes on', '[[sandbox:stream-hang=5]]', /timeout_total/],
    ['does not say what it cost', '[[sandbox:stream-usage={"output_tokens":null}]]', /NO_USAGE/],
  ])(
    'that %s ends with an error event, is not charged, and is on record for the operator',
    async (_, text, reason) => {
      const { post, customer } = await createAiCaller(ai);
      const events = await (await post('/ai/v1/messages', body(text))).text();
      expect(events).toMatch(/^event: message_start\n/);
      expect(events).not.toContain('message_stop');
      expect(events.split('\n\n').at(-2)).toMatch(
        /^event: error\ndata: \{"type":"error","error":\{"type":"(api|overloaded)_error","message":"[^"]*not charged/,
      );
      expect(await balances(customer.id)).toMatchObject({ included: 5, reserved: 0, usage: 0 });
      expect(await reservations(customer.id)).toEqual([
        { state: 'outcome_unknown', reason: expect.stringMatching(reason) },
      ]);
      expect((await reservations(customer.id))[0].reason).toMatch(/reported before: input \d+/);
    },
    EVERY_MS,
  );

  it('that does not begin is answered as one that is not streamed', async () => {
    const { post, customer } = await createAiCaller(ai);
    for (const [text, status] of [
      ['[[sandbox:status=529]]', 529],
      ['[[sandbox:stream-close=0]]', 502],
    ] as const) {
      const reply = await post('/ai/v1/messages', body(text));
      expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
    }
    ai.sandbox.messages.script({
      reply: { body: '{"type":"message"}', headers: { 'content-type': 'application/json' } },
    });
    expect((await post('/ai/v1/messages', body('Hello'))).status).toBe(502);
    expect((await reservations(customer.id)).map(({ state }) => state).toSorted()).toEqual([
      ...['outcome_unknown', 'outcome_unknown', 'released'],
    ]);
  });

  it('whose client hangs up is read to its end and charged', async () => {
    const { token, customer } = await createAiCaller(ai);
    const socket = await open(
      token.token,
      body('[[sandbox:events=20]][[sandbox:event-delay=50]][[sandbox:output-tokens=40]]'),
    );
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.destroy();
    expect(await usages(customer.id)).toEqual([]);
    // Its body is in memory until then.
    expect(memory().bytes).toBeGreaterThan(0);
    await until(async () => (await usages(customer.id)).length === 1);
    expect(await usages(customer.id)).toEqual([{ output_tokens: 40, streamed: true }]);
    expect(await balances(customer.id)).toMatchObject({ reserved: 0 });
    await until(() => inFlight() === 0 && memory().bytes === 0);
  });

  it('whose client hung up is counted as one that drains, until it ends', async () => {
    const { token } = await createAiCaller(ai);
    const metric = ai.api.app.get(Metrics, { strict: false }).registry.getSingleMetric('ai_streams_detached');
    const draining = async () => (await metric?.get())?.values[0]?.value;
    const socket = await open(token.token, body('[[sandbox:stream-hang=5]]'));
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    expect(await draining()).toBe(0);
    socket.destroy();
    await until(async () => (await draining()) === 1);
    await ai.api.app.get(CallsInFlightService, { strict: false }).drain(0);
    await until(async () => (await draining()) === 0);
  });

  it('whose client hangs up before it begins is charged', async () => {
    const { token, customer } = await createAiCaller(ai);
    ai.sandbox.messages.script({ delay: 300 });
    const socket = await open(token.token, body('Hello'));
    await until(() => ai.sandbox.messages.total === 1);
    socket.destroy();
    await until(async () => (await usages(customer.id)).length === 1);
    await until(() => inFlight() === 0);
  });

  it(
    'whose client does not read goes on without it and is charged; the client is cut off',
    async () => {
      const { token, customer } = await createAiCaller(ai, { included: 5000 });
      const delta = `event: content_block_delta\ndata: {"text":"${'x'.repeat(100_000)}"}\n\n`;
      const end = 'event: message_delta\ndata: {"usage":{"output_tokens":7}}\n\nevent: message_stop\ndata: {}\n\n';
      ai.sandbox.messages.script({
        reply: { body: START + delta.repeat(100) + end, headers: { 'content-type': 'text/event-stream' } },
      });
      const socket = await open(token.token, body('Hello', 100_000));
      socket.pause();
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      await until(async () => (await usages(customer.id)).length === 1);
      expect(await usages(customer.id)).toEqual([{ output_tokens: 7, streamed: true }]);
      let seen = '';
      socket.on('data', (piece) => (seen += piece.toString('latin1').slice(-2000))).resume();
      await closed;
      expect(seen).not.toContain('message_stop');
      await until(() => inFlight() === 0);
    },
    EVERY_MS,
  );

  it('ends once it is charged, not before', async () => {
    const { post, customer } = await createAiCaller(ai);
    const ledger = ai.api.app.get(CreditLedger, { strict: false });
    const held = Promise.withResolvers<void>();
    const settle = ledger.settle.bind(ledger);
    const spy = jest.spyOn(ledger, 'settle').mockImplementationOnce(async (settlement) => {
      await held.promise;
      return settle(settlement);
    });
    const reply = await post('/ai/messages', body('Hello'));
    let seen = '';
    const reading = (async () => {
      for await (const piece of reply.body!) seen += Buffer.from(piece).toString();
    })();
    await until(() => seen.includes('message_delta'));
    await until(() => spy.mock.calls.length === 1);
    expect(seen).not.toContain('message_stop');
    expect(await usages(customer.id)).toEqual([]);
    held.resolve();
    await reading;
    expect(seen).toContain('message_stop');
    expect(await usages(customer.id)).toHaveLength(1);
    spy.mockRestore();
  });

  it('that cannot be charged ends with an error event', async () => {
    const { post, customer } = await createAiCaller(ai);
    const spy = jest
      .spyOn(ai.api.app.get(CreditLedger, { strict: false }), 'settle')
      .mockRejectedValueOnce(new Error('The disk is full'));
    const events = await (await post('/ai/messages', body('Hello'))).text();
    spy.mockRestore();
    expect(events).toMatch(/\n\nevent: error\ndata: \{"type":"error".*"code":"internal_error"\}\n\n$/);
    expect(events).not.toContain('message_stop');
    expect(events).not.toContain('disk');
    expect(await usages(customer.id)).toEqual([]);
  });

  it('that the process cannot wait for when it stops ends with an error event, uncharged', async () => {
    const { post, customer } = await createAiCaller(ai);
    const reply = await post('/ai/messages', body('[[sandbox:stream-hang=4]]'));
    await ai.api.app.get(CallsInFlightService, { strict: false }).drain(50);
    expect(await reply.text()).toContain('The server is stopping. You were not charged');
    expect(await balances(customer.id)).toMatchObject({ reserved: 0, usage: 0 });
  });

  it('comes event by event', async () => {
    const { post } = await createAiCaller(ai);
    const reply = await post(
      '/ai/messages',
      body('[[sandbox:events=4]][[sandbox:event-delay=40]][[sandbox:output-tokens=8]]'),
    );
    const times: number[] = [];
    for await (const piece of reply.body!) {
      expect(Buffer.from(piece).toString()).toMatch(/^event: [^]*\n\n$/);
      times.push(performance.now());
    }
    expect(times.length).toBeGreaterThan(6);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(200);
  });

  it('may be longer than one that is not streamed', async () => {
    const { post } = await createAiCaller(ai, { included: 5000 });
    await (await post('/ai/messages', body('Hello', 1_000_000))).text();
    await post('/ai/messages', { ...body('Hello', 1_000_000), stream: false });
    const asked = ai.sandbox.messages.requests.map(
      ({ body: sent }) => (JSON.parse(sent.toString()) as { max_tokens: number }).max_tokens,
    );
    expect(asked).toEqual([128_000, 21_333]);
  });
});
