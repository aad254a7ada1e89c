import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AiMessagesService, CallsInFlightService } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { PLAIN_PRICE, saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { until } from '@test/until';
import {
  AS_JSON,
  bytesOf,
  type AiFixture,
  asCustomer,
  balancesOf,
  createAiFixture,
  problemsOf,
} from '@test/ai.fixture';
import { readMessageRequest } from '@test/read-message-request';

describe('The AI gateway', () => {
  let fixture: AiFixture;
  let model: string;

  beforeAll(async () => {
    fixture = await createAiFixture({
      AI_UPSTREAM_TIMEOUT_MS: '2500',
      UPSTREAM_BREAKER_FAILURES: '1000000',
      AI_COUNT_TIMEOUT_MS: '1500',
    });
    model = await saveModelPrice(fixture.superuser, PLAIN_PRICE);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.sandbox.reset());

  const customer = (included: number) => saveAiCustomer(fixture.superuser, { model, included });
  const hello = (max_tokens = 10) => ({ messages: [{ role: 'user', content: 'Hello' }], max_tokens });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'sent',
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    );
  const holdsOf = async (customerId: string) =>
    (await fixture.superuser.query('select state, reason from ai_reservation where customer_id = $1', [customerId]))
      .rows;

  it("answers with the provider's own bytes, and charges what it reports", async () => {
    const customerId = await customer(5);
    const body =
      '{ "type":"message", "usage":{"input_tokens":3,"output_tokens":2.0e0,"new":1.50}, "n":12345678901234567890 }';
    fixture.sandbox.messages.script({
      reply: { body, headers: { 'content-type': 'application/json', 'request-id': 'req_mine' } },
    });
    const bytes = Buffer.from(JSON.stringify(hello()));
    const request = readMessageRequest(bytes, 1_000_000);
    const engine = fixture.engines[0]!;
    const reply = await asCustomer(engine, customerId, () =>
      engine.get(AiMessagesService).send({ tokenId: null, requestId: 'r' }, request, AS_JSON),
    );
    expect(bytesOf(reply).toString()).toBe(body);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ usage: 0.013, reserved: 0 });
    const { rows } = await fixture.superuser.query(
      'select request_id, input_tokens, output_tokens from ai_usage where customer_id = $1',
      [customerId],
    );
    expect(rows).toEqual([{ request_id: 'req_mine', input_tokens: 3, output_tokens: 2 }]);
  });

  it('sends the blocks byte for byte, and nothing of the body that is not asked for', async () => {
    const messages =
      '[{"role":"user", "content":[{"type":"text","text":"h\\u00e9 \\ud83d\\ude00","unknown":{"a":1.0,"a":12345678901234567890}}]}]';
    await fixture.send(
      await customer(50),
      `{"temperature":2,"model":"theirs","messages":${messages},"max_tokens":7,"stream":true,"system":"Be \\u0062rief"}`,
    );
    const [request] = fixture.sandbox.messages.requests;
    expect(request!.body.toString()).toBe(
      `{"model":"${model}","max_tokens":7,"system":"Be \\u0062rief","messages":${messages}}`,
    );
    expect(request!.headers).toMatchObject({ 'x-api-key': 'service-wide-key', 'anthropic-version': '2023-06-01' });
  });

  it.each([
    [400, 'ai_upstream_rejected'],
    [401, 'ai_upstream_rejected'],
    [402, 'ai_upstream_rejected'],
    [403, 'ai_upstream_rejected'],
    [404, 'ai_upstream_rejected'],
    [413, 'ai_upstream_rejected'],
    [429, 'ai_upstream_failed'],
    [500, 'ai_upstream_failed'],
    [503, 'ai_upstream_failed'],
    [504, 'ai_upstream_failed'],
    [529, 'ai_upstream_failed'],
  ])('charges nothing when the provider answers %d', async (status, code) => {
    const customerId = await customer(5);
    fixture.sandbox.messages.always({ status });
    expect(await codeOf(fixture.send(customerId, hello()))).toBe(code);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 5, reserved: 0, usage: 0 });
    expect(await holdsOf(customerId)).toEqual([
      { state: 'released', reason: expect.stringContaining(`upstream ${status}`) },
    ]);
    expect(fixture.sandbox.messages.total).toBe(1);
  });

  it.each([
    ['is not JSON', { 'not-json': true }, 'outcome_unknown'],
    ['is empty', { empty: true }, 'outcome_unknown'],
    ['stops halfway', { truncated: true }, 'outcome_unknown'],
    ['has another shape', { 'wrong-shape': true }, 'outcome_unknown'],
    ['is an error page', { 'not-json-error': 502 }, 'released'],
    ['never comes', { hang: true }, 'outcome_unknown'],
    ['comes too slowly', { 'slow-body': 10_000 }, 'outcome_unknown'],
    ['is cut off before it begins', { cut: true }, 'outcome_unknown'],
    ['is cut off in its body', { 'cut-body': true }, 'outcome_unknown'],
    ['has no usage', { usage: JSON.stringify({ input_tokens: null }) }, 'outcome_unknown'],
    ['has a usage below zero', { usage: JSON.stringify({ output_tokens: -1 }) }, 'outcome_unknown'],
  ] as const)('charges nothing when the reply %s', async (_, directives, state) => {
    const customerId = await customer(5);
    fixture.sandbox.messages.always(directives);
    expect(await codeOf(fixture.send(customerId, hello()))).toBe('ai_upstream_failed');
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 5, reserved: 0, usage: 0 });
    expect(await holdsOf(customerId)).toEqual([{ state, reason: expect.stringMatching(/^upstream \w/) }]);
    expect(fixture.sandbox.messages.total).toBe(1);
  });

  it('tells the customer what is wrong with the request, and nothing about the operator’s account with the provider', async () => {
    const customerId = await customer(5);
    const detailOf = async () =>
      ((await fixture.send(customerId, hello()).catch((error: unknown) => error)) as ServiceError).detail;
    const refuse = (message: string) =>
      fixture.sandbox.messages.script({
        reply: { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } },
      });
    refuse('messages.0.content.0.image.source.base64: invalid base64 data');
    expect(await detailOf()).toContain('messages.0.content.0.image.source.base64: invalid base64 data');
    fixture.sandbox.messages.script({ 'low-balance': true });
    expect(await detailOf()).not.toMatch(/balance|credit/);
    for (const limit of ['spend-limit', 'usage-limit']) {
      fixture.sandbox.messages.script({ [limit]: true });
      expect(await detailOf()).not.toMatch(/limit|usage/);
    }
  });

  it.each([
    ['usage-limit', 'You have reached your specified API usage limits. You will regain access on '],
    ['low-balance', 'Your credit balance is too low'],
  ])('tells the operator what is wrong with the account: %s', async (directive, said) => {
    const warned = jest.spyOn(Logger.prototype, 'warn');
    const customerId = await customer(5);
    fixture.sandbox.messages.script({ [directive]: true });
    expect(await codeOf(fixture.send(customerId, hello()))).toBe('ai_upstream_rejected');
    const reason = expect.stringContaining(`upstream 400 invalid_request_error: ${said}`);
    expect(await holdsOf(customerId)).toEqual([{ state: 'released', reason }]);
    expect(warned).toHaveBeenCalledWith(expect.objectContaining({ msg: 'AI call failed', reason }));
    warned.mockRestore();
  });

  it('tries again only while it cannot connect', async () => {
    const customerId = await customer(5);
    await fixture.sandbox.refuseConnections();
    const call = fixture.send(customerId, hello());
    await setImmediate();
    await fixture.sandbox.acceptConnections();
    expect(await call).toMatchObject({ type: 'message' });
    await fixture.sandbox.refuseConnections();
    expect(await codeOf(fixture.send(customerId, hello()))).toBe('ai_upstream_failed');
    await fixture.sandbox.acceptConnections();
    expect(fixture.sandbox.messages.total).toBe(1);
    expect(await holdsOf(customerId)).toMatchObject([{ state: 'released' }]);
  });

  it('caps max_tokens at what the service allows', async () => {
    await fixture.send(await customer(5000), hello(1_000_000_000));
    expect(JSON.parse(fixture.sandbox.messages.requests[0]!.body.toString())).toMatchObject({ max_tokens: 21_333 });
  });

  describe('when the coarse bound exceeds the credit', () => {
    // 2,000 bytes bound 2,300 tokens (2.3 NOK); the provider counts 500 (0.5 NOK and margin).
    const long = { messages: [{ role: 'user', content: 'x'.repeat(2000) }], max_tokens: 100 };

    it("asks the provider's count before it refuses", async () => {
      const customerId = await customer(1.5);
      expect(await fixture.send(customerId, long)).toMatchObject({ type: 'message' });
      expect(fixture.sandbox.countTokens.total).toBe(1);
      expect(JSON.parse(fixture.sandbox.messages.requests[0]!.body.toString())).toMatchObject({ max_tokens: 100 });
      expect(await problemsOf(fixture, customerId)).toEqual([]);
    });

    it('shortens the answer to what the credit buys', async () => {
      const customerId = await customer(2);
      await fixture.send(customerId, { ...long, max_tokens: 4000 });
      // 2 NOK − (500 × 1.05 + 100) tokens in = 1.375 NOK: 275 tokens out.
      expect(JSON.parse(fixture.sandbox.messages.requests[0]!.body.toString())).toMatchObject({ max_tokens: 275 });
    });

    it('refuses when that buys less than a sensible answer', async () => {
      const customerId = await customer(1.8);
      expect(await codeOf(fixture.send(customerId, { ...long, max_tokens: 4000 }))).toBe('credit_exhausted');
      expect(fixture.sandbox.messages.total).toBe(0);
      expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 1.8, reserved: 0 });
    });

    it.each<Record<string, number | true>>([{ hang: true }, { status: 500 }, { cut: true }])(
      'says that the provider failed when it does not count: %j',
      async (fault) => {
        fixture.sandbox.countTokens.always(fault);
        const short = await customer(1.5);
        expect(await codeOf(fixture.send(short, long))).toBe('ai_upstream_failed');
        expect(await balancesOf(fixture.superuser, short)).toMatchObject({ included: 1.5, reserved: 0 });
        // With enough credit for the coarse bound no count is needed.
        expect(await fixture.send(await customer(5), long)).toMatchObject({ type: 'message' });
      },
    );

    it('does not ask when there is no credit at all', async () => {
      expect(await codeOf(fixture.send(await customer(0), long))).toBe('credit_exhausted');
      expect(fixture.sandbox.countTokens.total).toBe(0);
    });
  });

  it('charges a refusal and an answer cut short by max_tokens, as the provider does', async () => {
    const customerId = await customer(5);
    fixture.sandbox.messages.script({ refusal: true });
    expect(await fixture.send(customerId, hello())).toMatchObject({ stop_reason: 'refusal' });
    fixture.sandbox.messages.script({ 'stop-reason': 'max_tokens' });
    expect(await fixture.send(customerId, hello())).toMatchObject({ stop_reason: 'max_tokens' });
    const { rows } = await fixture.superuser.query('select count(*)::int from ai_usage where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ count: 2 }]);
  });

  it('aborts calls that outlast the shutdown, and makes none after it, uncharged', async () => {
    const stopping = await createAiFixture({ SHUTDOWN_GRACE_MS: '1000' });
    try {
      const stoppingModel = await saveModelPrice(stopping.superuser);
      const customerId = await saveAiCustomer(stopping.superuser, { model: stoppingModel, included: 5 });
      stopping.sandbox.messages.script({ hang: true });
      const call = codeOf(stopping.send(customerId, hello()));
      await stopping.sandbox.messages.received(1);
      await stopping.engines[0]!.get(CallsInFlightService).beforeApplicationShutdown();
      expect(await call).toBe('ai_upstream_failed');
      expect(await codeOf(stopping.send(customerId, hello()))).toBe('ai_upstream_failed');
      expect(stopping.sandbox.messages.total).toBe(1);
      expect(await balancesOf(stopping.superuser, customerId)).toMatchObject({ included: 5, reserved: 0 });
    } finally {
      await stopping.close();
    }
  });

  it('finishes calls in flight before the process ends', async () => {
    const stopping = await createAiFixture({ SHUTDOWN_GRACE_MS: '5000' });
    try {
      const stoppingModel = await saveModelPrice(stopping.superuser);
      const customerId = await saveAiCustomer(stopping.superuser, { model: stoppingModel, included: 5 });
      const gate = stopping.sandbox.messages.hold();
      const calls = [1, 2, 3].map(() => stopping.send(customerId, hello()));
      await stopping.sandbox.messages.received(3);
      let closed = false;
      const closing = stopping.engines[0]!.close().then(() => (closed = true));
      // Everything that does not wait for the calls is finished by now.
      await once(AbortSignal.timeout(500), 'abort');
      expect(closed).toBe(false);
      gate.open();
      for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ type: 'message' });
      await closing;
      expect(await problemsOf(stopping, customerId)).toEqual([]);
      expect((await balancesOf(stopping.superuser, customerId)).usage).toBeGreaterThan(0);
    } finally {
      await stopping.close();
    }
  });

  describe('while the provider is down', () => {
    let broken: AiFixture;
    let brokenModel: string;
    beforeEach(async () => {
      broken = await createAiFixture({
        UPSTREAM_BREAKER_FAILURES: '4',
        UPSTREAM_BREAKER_SPREAD_MS: '0',
        UPSTREAM_BREAKER_RESET_MS: '2000',
        AI_UPSTREAM_SLOW_MS: '100',
      });
      brokenModel = await saveModelPrice(broken.superuser);
    });
    afterEach(() => broken.close());
    const another = () => saveAiCustomer(broken.superuser, { model: brokenModel, included: 5 });
    const reservations = async (customerId: string) =>
      (await broken.superuser.query('select 1 from ai_reservation where customer_id = $1', [customerId])).rowCount;

    it('answers at once, reserves nothing, and recovers', async () => {
      broken.sandbox.messages.always({ status: 529 });
      for (const customerId of [await another(), await another()]) {
        for (let count = 0; count < 2; count++)
          expect(await codeOf(broken.send(customerId, hello()))).toBe('ai_upstream_failed');
      }
      const customerId = await another();
      expect(await codeOf(broken.send(customerId, hello()))).toBe('ai_upstream_failed');
      expect([broken.sandbox.messages.total, await reservations(customerId)]).toEqual([4, 0]);
      broken.sandbox.messages.always();
      await until(async () => (await codeOf(broken.send(customerId, hello()))) === 'sent');
      expect(await balancesOf(broken.superuser, customerId)).toMatchObject({ reserved: 0 });
    });

    it.each([
      ['replies that are not JSON', { 'not-json': true }],
      ['replies without usage', { 'wrong-shape': true }],
    ] as const)('counts %s', async (_, directives) => {
      broken.sandbox.messages.always(directives);
      for (const customerId of [await another(), await another()])
        for (let count = 0; count < 2; count++) await codeOf(broken.send(customerId, hello()));
      await codeOf(broken.send(await another(), hello()));
      expect(broken.sandbox.messages.total).toBe(4);
    });

    it('does not take long messages for a sign of it, which are answered when they are complete', async () => {
      broken.sandbox.messages.script(...Array.from({ length: 4 }, () => ({ delay: 2_000 })));
      const long = [await another(), await another()].flatMap((customerId) =>
        [1, 2].map(() => codeOf(broken.send(customerId, hello(400)))),
      );
      await broken.sandbox.messages.received(4);
      // Longer than a short message may take.
      await once(AbortSignal.timeout(500), 'abort');
      expect(await codeOf(broken.send(await another(), hello()))).toBe('sent');
      expect(await Promise.all(long)).toEqual(Array(4).fill('sent'));
    });

    it('notices it by the age of the calls that wait, long before they end', async () => {
      broken.sandbox.messages.always({ hang: true });
      const waiting = [await another(), await another()].flatMap((customerId) =>
        [1, 2].map(() => codeOf(broken.send(customerId, hello()))),
      );
      await broken.sandbox.messages.received(4);
      const customerId = await another();
      // Until then calls wait too; ours ends by itself after 5 s.
      await until(async () => {
        const call = codeOf(broken.send(customerId, hello()));
        return (await Promise.race([call, once(AbortSignal.timeout(50), 'abort')])) === 'ai_upstream_failed';
      });
      await broken.engines[0]!.get(CallsInFlightService).drain(0);
      expect(await Promise.all(waiting)).toEqual(Array(4).fill('ai_upstream_failed'));
    });

    it('does not refuse customers because of one customer’s failing calls or their own faults', async () => {
      const one = await another();
      broken.sandbox.messages.always({ status: 500 });
      for (let count = 0; count < 8; count++) await codeOf(broken.send(one, hello()));
      broken.sandbox.messages.always({ status: 400 });
      for (let count = 0; count < 8; count++) await codeOf(broken.send(await another(), hello()));
      expect(broken.sandbox.messages.total).toBe(16);
      broken.sandbox.messages.always();
      expect(await codeOf(broken.send(await another(), hello()))).toBe('sent');
    });
  });
});
