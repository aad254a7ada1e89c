import { once } from 'node:events';
import { request } from 'node:http';
import { type Sandbox, startSandbox } from '../sandbox';

/** Faults that every upstream can have; the Messages API represents all of them. */
describe('faults of the wire', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  const post = (text: string, signal?: AbortSignal) =>
    fetch(`${sandbox.urls.messages}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'm', max_tokens: 500, messages: [{ role: 'user', content: text }] }),
      ...(signal && { signal }),
    });

  it('cuts the connection before the reply', async () => {
    await expect(post('[[sandbox:cut]]')).rejects.toThrow('fetch failed');
  });

  it('cuts the connection in the middle of the body', async () => {
    const response = await post('[[sandbox:cut-body]]');

    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('sends the second half of a body late', async () => {
    const started = performance.now();
    const response = await post('[[sandbox:slow-body=300]]');
    const headersAfter = performance.now() - started;
    await expect(response.json()).resolves.toMatchObject({ type: 'message' });

    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
    expect(headersAfter).toBeLessThan(performance.now() - started - 200);
  });

  it('delays the reply, also together with another fault', async () => {
    const started = performance.now();
    expect((await post('[[sandbox:delay=150]]')).status).toBe(200);
    expect((await post('[[sandbox:delay=150]] [[sandbox:status=529]]')).status).toBe(529);

    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
  });

  it('never replies', async () => {
    const patience = new AbortController();
    const reply = post('[[sandbox:hang]]', patience.signal);
    await sandbox.messages.received(1);
    patience.abort();

    await expect(reply).rejects.toThrow('aborted');
  });

  it.each([
    ['[[sandbox:not-json]]', 200, /^<html>/],
    ['[[sandbox:not-json-error=500]]', 500, /^<html>/],
    ['[[sandbox:empty]]', 200, /^$/],
    ['[[sandbox:wrong-shape]]', 200, /^\{"unexpected":true\}$/],
    ['[[sandbox:truncated]]', 200, /^\{"id":"msg_.*[^}]$/],
  ])('%s answers %i and a body that cannot be used', async (directive, status, body) => {
    const response = await post(directive);

    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(body);
  });

  describe('controlled by a test', () => {
    it('records bodies byte for byte, and headers', async () => {
      const body = Buffer.from(
        '{ "model":"m","max_tokens" : 5,"messages":[{"role":"user","content":[{"x_unknown":1.0,"type":"text","text":"\\u00e6"}]}]}',
      );
      await fetch(`${sandbox.urls.messages}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'x-custom': 'yes' },
        body,
      });

      const [received] = sandbox.messages.requests;
      expect(received?.body.equals(body)).toBe(true);
      expect(received?.headers).toMatchObject({ 'x-custom': 'yes', 'x-api-key': 'k' });
      expect(received).toMatchObject({ method: 'POST', url: '/anthropic/v1/messages' });
    });

    it('scripts the next replies in order, one each, over the directives of the request', async () => {
      sandbox.messages.script({ status: 500 }, { cut: true }, { reply: { status: 418, body: { odd: 1 } } }, {});

      expect((await post('one')).status).toBe(500);
      await expect(post('two')).rejects.toThrow('fetch failed');
      const odd = await post('three');
      expect([odd.status, await odd.json()]).toEqual([418, { odd: 1 }]);
      expect((await post('[[sandbox:status=503]]')).status).toBe(200);
      expect((await post('[[sandbox:status=503]]')).status).toBe(503);
    });

    it('fails until reset', async () => {
      sandbox.messages.always({ status: 529 });
      expect([(await post('a')).status, (await post('b')).status]).toEqual([529, 529]);

      sandbox.messages.always();
      expect((await post('c')).status).toBe(200);
    });

    it('holds replies until they are released', async () => {
      const gate = sandbox.messages.hold();
      let answered = 0;
      const calls = ['a', 'b', 'c'].map((text) => post(text).then(() => (answered += 1)));
      await gate.holding(3);
      expect([answered, gate.waiting]).toEqual([0, 3]);

      gate.release(1);
      await Promise.race(calls);
      expect([answered, gate.waiting]).toEqual([1, 2]);

      gate.open();
      await Promise.all(calls);
      expect((await post('d')).status).toBe(200);
    });

    it('notices when a client disconnects while its reply is held', async () => {
      const gate = sandbox.messages.hold();
      const patience = new AbortController();
      const call = post('gone', patience.signal).catch(() => 'aborted');
      await gate.holding(1);
      patience.abort();
      expect(await call).toBe('aborted');

      gate.open();
      expect((await post('still there?')).status).toBe(200);
    });

    it('refuses connections and takes them again on the same port', async () => {
      const gate = sandbox.messages.hold();
      const call = post('in flight').catch(() => 'broken');
      await gate.holding(1);
      await sandbox.refuseConnections();
      expect(await call).toBe('broken');

      const refused = request(sandbox.url).on('error', () => undefined);
      const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');

      await sandbox.acceptConnections();
      gate.open();
      expect((await post('back')).status).toBe(200);
    });

    it('keeps no more requests than it was told to', async () => {
      const small = await startSandbox({ recordLimit: 2 });
      try {
        for (const text of ['a', 'b', 'c']) {
          await fetch(`${small.urls.messages}/v1/messages`, { method: 'POST', body: text });
        }
        expect(small.messages.requests.map(({ body }) => body.toString())).toEqual(['b', 'c']);
        expect(small.messages.total).toBe(3);
      } finally {
        await small.close();
      }
    });

    it('closes while requests hang', async () => {
      const other = await startSandbox();
      other.messages.always({ hang: true });
      const call = fetch(`${other.urls.messages}/v1/messages`, { method: 'POST', body: '{}' }).catch(() => 'broken');
      await other.messages.received(1);
      await other.close();

      expect(await call).toBe('broken');
    });
  });

  it('refuses to start in production', async () => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = 'production';
    try {
      await expect(startSandbox()).rejects.toThrow('NODE_ENV=production');
    } finally {
      process.env.NODE_ENV = before;
    }
  });
});
