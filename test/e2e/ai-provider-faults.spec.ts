import { Metrics } from '@platform/metrics';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { expectProblem } from '@test/expect-problem';
import { until } from '@test/until';

const body = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };
/** Settings: the circuit opens after few failures, and a trial call is due soon. */
const SENSITIVE_CIRCUIT = {
  UPSTREAM_BREAKER_FAILURES: '3',
  UPSTREAM_BREAKER_SPREAD_MS: '0',
  // Longer than a busy machine takes for ten calls at once.
  UPSTREAM_BREAKER_RESET_MS: '3000',
};

describe('what the AI provider does to one customer', () => {
  let fixture: AiApi;
  beforeAll(async () => (fixture = await startAiApi(SENSITIVE_CIRCUIT)));
  afterAll(() => fixture.stop());
  beforeEach(() => fixture.sandbox.reset());

  const arrange = async () => {
    const { post } = await createAiCaller(fixture, { included: 100 });
    return () => post('/ai/messages', body);
  };

  it.each([400, 401, 402, 403, 404, 413, 429])(
    'is not taken for an outage when it refuses with %d: another customer is answered',
    async (status) => {
      const [refused, other] = [await arrange(), await arrange()];
      fixture.sandbox.messages.script(...Array.from({ length: 12 }, () => ({ status })));
      for (let call = 0; call < 12; call++) {
        const code = status === 429 ? 'ai_upstream_failed' : 'ai_upstream_rejected';
        await expectProblem(await refused(), 502, code);
      }
      expect(fixture.sandbox.messages.total).toBe(12);
      expect((await other()).status).toBe(201);
    },
  );

  it('is not taken for an outage when it is slow', async () => {
    const [patient, other] = [await arrange(), await arrange()];
    fixture.sandbox.messages.always({ delay: 700 });
    const replies = await Promise.all(Array.from({ length: 8 }, patient));
    expect(replies.map(({ status }) => status)).toEqual(Array<number>(8).fill(201));
    fixture.sandbox.messages.always();
    expect((await other()).status).toBe(201);
  });
});

describe('an AI provider that is down', () => {
  let fixture: AiApi;
  beforeEach(async () => {
    fixture = await startAiApi(SENSITIVE_CIRCUIT);
  });
  afterEach(() => fixture.stop());

  /** Sends calls of several customers until the provider counts as down. */
  async function stopUpstream(): Promise<() => Promise<Response>> {
    const posts = await Promise.all(
      Array.from({ length: 3 }, async () => (await createAiCaller(fixture, { included: 100 })).post),
    );
    let turn = 0;
    const send = () => posts[turn++ % posts.length]!('/ai/messages', body);
    fixture.sandbox.messages.always({ status: 500 });
    await until(async () => {
      const before = fixture.sandbox.messages.total;
      await expectProblem(await send(), 502, 'ai_upstream_failed');
      return fixture.sandbox.messages.total === before;
    });
    // As many failures as needed, and no more.
    expect(fixture.sandbox.messages.total).toBeGreaterThanOrEqual(3);
    expect(fixture.sandbox.messages.total).toBeLessThanOrEqual(6);
    return send;
  }

  it('is left alone, then tried by one call only; its success lets all through', async () => {
    const send = await stopUpstream();
    fixture.sandbox.reset();
    const gate = fixture.sandbox.messages.hold();
    const trying: Promise<Response>[] = [];
    await until(async () => {
      const reply = send();
      const refused = await Promise.race([
        reply.then(() => true),
        fixture.sandbox.messages.received(1).then(() => false),
      ]);
      if (!refused) trying.push(reply);
      return !refused;
    });
    const others = await Promise.all(Array.from({ length: 10 }, send));
    expect(others.map(({ status }) => status)).toEqual(Array<number>(10).fill(502));
    expect(fixture.sandbox.messages.total).toBe(1);
    gate.open();
    expect((await trying[0]!).status).toBe(201);
    const after = await Promise.all(Array.from({ length: 10 }, send));
    expect(after.map(({ status }) => status)).toEqual(Array<number>(10).fill(201));
  });

  it('is left alone again when the call that tries fails', async () => {
    const send = await stopUpstream();
    const before = fixture.sandbox.messages.total;
    await until(async () => {
      await expectProblem(await send(), 502, 'ai_upstream_failed');
      return fixture.sandbox.messages.total > before;
    });
    const refused = await Promise.all(Array.from({ length: 10 }, send));
    expect(refused.map(({ status }) => status)).toEqual(Array<number>(10).fill(502));
    expect(fixture.sandbox.messages.total).toBe(before + 1);
  });

  it.each([
    ['with an error on their way', '[[sandbox:stream-error=overloaded_error]][[sandbox:event-delay=20]]'],
    ['with an error that comes together with the rest', '[[sandbox:stream-error=overloaded_error]]'],
    ['without their last event', '[[sandbox:stream-close=4]]'],
  ])('is left alone when the streams of several customers end %s', async (_, content) => {
    const posts = await Promise.all(
      Array.from({ length: 3 }, async () => (await createAiCaller(fixture, { included: 100 })).post),
    );
    const streamed = { ...body, messages: [{ role: 'user', content }], stream: true };
    for (const post of posts) expect(await (await post('/ai/messages', streamed)).text()).toContain('event: error');
    await expectProblem(await posts[0]!('/ai/messages', body), 502, 'ai_upstream_failed');
    expect(fixture.sandbox.messages.total).toBe(3);
    expect(await fixture.api.app.get(Metrics, { strict: false }).registry.metrics()).toMatch(
      /^upstream_call_duration_seconds_count\{.*operation="messages",outcome="unexpected"\} 3$/m,
    );
  });

  it('costs nothing and keeps no credit', async () => {
    const send = await stopUpstream();
    await send();
    const { rows } = await fixture.api.superuser.query(
      `select sum(reserved)::float as reserved, sum(month_usage)::float as used from ai_account`,
    );
    expect(rows).toEqual([{ reserved: 0, used: 0 }]);
  });
});
