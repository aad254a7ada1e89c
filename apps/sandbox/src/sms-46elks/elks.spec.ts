import { fastify, type FastifyInstance } from 'fastify';
import { type Sandbox, startSandbox } from '../sandbox';

describe('the 46elks stand-in', () => {
  let sandbox: Sandbox;
  let receiver: FastifyInstance;
  let receiverUrl: string;
  let reports: Record<string, string>[];
  let receiverStatus: number;
  let authorizations: (string | undefined)[];

  beforeAll(async () => {
    sandbox = await startSandbox();
    receiver = fastify();
    receiver.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(body as string))),
    );
    receiver.post('/dlr', (request, reply) => {
      reports.push(request.body as Record<string, string>);
      authorizations.push(request.headers.authorization);
      return reply.code(receiverStatus).send();
    });
    receiverUrl = `${await receiver.listen({ port: 0, host: '127.0.0.1' })}/dlr`;
  });
  beforeEach(() => {
    reports = [];
    authorizations = [];
    receiverStatus = 204;
  });
  afterEach(async () => {
    await sandbox.elks46.reportsSettled();
    sandbox.reset();
  });
  afterAll(() => Promise.all([sandbox.close(), receiver.close()]));

  const authorization = `Basic ${Buffer.from('user:password').toString('base64')}`;
  const post = (fields: Record<string, string>, headers: Record<string, string> = { authorization }) =>
    fetch(`${sandbox.urls.elks46}/a1/sms`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const send = (message: string, more: Record<string, string> = { whendelivered: receiverUrl }) =>
    post({ from: 'Company', to: '+4799999999', message, ...more });

  it('takes a message on and replies as the gateway does', async () => {
    const response = await send('Hei på deg');

    expect(response.status).toBe(200);
    const reply = (await response.json()) as Record<string, unknown>;
    expect(reply).toEqual({
      id: expect.stringMatching(/^s[0-9a-f]{32}$/),
      status: 'created',
      direction: 'outgoing',
      from: 'Company',
      to: '+4799999999',
      message: 'Hei på deg',
      parts: 1,
      cost: 3500,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    });
    expect(sandbox.elks46.accepted).toEqual([
      expect.objectContaining({ id: reply.id, text: 'Hei på deg', segments: 1 }),
    ]);
  });

  it('counts parts', async () => {
    expect(await (await send('a'.repeat(918))).json()).toMatchObject({ parts: 6, cost: 21000 });
    expect(await (await send('č'.repeat(918))).json()).toMatchObject({ parts: 14 });
    expect(await (await send(`Kode 1234${'\u0301'.repeat(909)}`)).json()).toMatchObject({ parts: 14 });
  });

  it('answers to the path in capitals too', async () => {
    const body = new URLSearchParams({ from: 'Company', to: '+4799999999', message: 'Hi' });
    expect(
      (await fetch(`${sandbox.urls.elks46}/a1/SMS`, { method: 'POST', headers: { authorization }, body })).status,
    ).toBe(200);
  });

  describe('refuses', () => {
    const good = { from: 'Company', to: '+4799999999', message: 'Hi' };
    it.each<[string, Record<string, string>, number, string]>([
      ['a missing sender', { ...good, from: '' }, 403, 'Missing key from'],
      ['a missing recipient', { ...good, to: '' }, 403, 'Missing key to'],
      ['a missing message', { ...good, message: '' }, 403, 'Missing key message'],
      ['a local number', { ...good, to: '99999999' }, 400, 'Invalid phone number in key to'],
      ['a sender of twelve letters', { ...good, from: 'abcdefghijkl' }, 400, 'Invalid sender in key from'],
      ['a sender of digits only', { ...good, from: '12345' }, 400, 'Invalid sender in key from'],
      ['a callback that is no URL', { ...good, whendelivered: 'here' }, 400, 'Invalid URL in key whendelivered'],
    ])('%s', async (_name, fields, status, text) => {
      const response = await post(fields);

      expect([response.status, await response.text()]).toEqual([status, text]);
      expect(response.headers.get('content-type')).toContain('text/plain');
      expect(sandbox.elks46.accepted).toEqual([]);
    });

    it.each<[string, string | undefined, number]>([
      ['no login', undefined, 401],
      ['a login without a password', `Basic ${btoa('user:')}`, 401],
      ['a wrong login', `Basic ${btoa('sandbox-invalid:password')}`, 401],
      ['a login without rights', `Basic ${btoa('sandbox-forbidden:password')}`, 403],
    ])('%s', async (_name, login, status) => {
      expect((await post(good, login ? { authorization: login } : {})).status).toBe(status);
    });
  });

  describe('on demand', () => {
    it.each([400, 401, 403, 429, 500, 503])('answers %i in plain text and takes nothing on', async (status) => {
      const response = await send(`[[sandbox:status=${status}]] Hi`);

      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toContain('text/plain');
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
      expect(sandbox.elks46.accepted).toEqual([]);
    });

    it('has run out of credits', async () => {
      const response = await send('[[sandbox:no-credits]]');

      expect([response.status, await response.text()]).toEqual([403, 'Not enough credits']);
    });

    it('replies that the message failed', async () => {
      expect(await (await send('[[sandbox:reply-status=failed]]')).json()).toMatchObject({ status: 'failed' });
    });

    it.each(['not-json', 'wrong-shape', 'empty', 'truncated'])(
      'takes a message on and replies malformed: %s',
      async (directive) => {
        const response = await send(`[[sandbox:${directive}]]`);

        expect(response.status).toBe(200);
        expect(sandbox.elks46.accepted).toHaveLength(1);
      },
    );

    it('fails at its proxy, which takes nothing on', async () => {
      const response = await send('[[sandbox:not-json-error=502]]');

      expect([response.status, sandbox.elks46.accepted]).toEqual([502, []]);
    });

    it('takes a message on and cuts the connection, and still reports on it', async () => {
      await expect(send('[[sandbox:cut]]')).rejects.toThrow('fetch failed');
      expect(sandbox.elks46.accepted).toHaveLength(1);

      await sandbox.elks46.reportsSettled();
      expect(reports.map(({ status }) => status)).toEqual(['sent', 'delivered']);
    });

    it('reports an unknown directive, and takes nothing on', async () => {
      expect((await send('[[sandbox:refusal]]')).status).toBe(400);
      expect((await send('[[sandbox:reports=lost]]')).status).toBe(400);
      expect(sandbox.elks46.accepted).toEqual([]);
    });
  });

  describe('delivery reports', () => {
    it('come after the reply: sent, then delivered', async () => {
      const gate = sandbox.elks46.hold();
      const call = send('Hi');
      await gate.holding(1);
      const [sms] = sandbox.elks46.accepted;
      if (!sms) throw new Error('nothing was taken on');
      // This report arrives before those that wait for the reply; reports that did not wait would have arrived earlier.
      await sandbox.elks46.report(sms, 'failed');
      expect(reports).toEqual([{ id: sms.id, status: 'failed' }]);
      gate.open();
      const { id } = (await (await call).json()) as { id: string };
      await sandbox.elks46.reportsSettled();

      expect(reports.slice(1)).toEqual([
        { id, status: 'sent' },
        { id, status: 'delivered', delivered: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}$/) },
      ]);
    });

    it.each([
      ['failed', ['failed']],
      ['sent,failed', ['sent', 'failed']],
      ['delivered,sent', ['delivered', 'sent']],
      ['delivered,delivered', ['delivered', 'delivered']],
      ['none', []],
    ])('are those asked for: %s', async (asked, expected) => {
      await send(`[[sandbox:reports=${asked}]]`);
      await sandbox.elks46.reportsSettled();

      expect(reports.map(({ status }) => status)).toEqual(expected);
    });

    it('come before the reply when asked to', async () => {
      const gate = sandbox.elks46.hold();
      const call = send('[[sandbox:reports-early]]');
      await gate.holding(1);
      expect(reports.map(({ status }) => status)).toEqual(['sent', 'delivered']);

      gate.open();
      expect((await call).status).toBe(200);
    });

    it('are sent when a test asks, on any message and in any order', async () => {
      sandbox.elks46.usualReports = [];
      await send('Hi');
      const [sms] = sandbox.elks46.accepted;
      if (!sms) throw new Error('nothing was taken on');
      await sandbox.elks46.report(sms, 'delivered', 'sent', 'delivered');

      expect(reports.map(({ status }) => status)).toEqual(['delivered', 'sent', 'delivered']);
    });

    it('log in as the address says', async () => {
      await send('Hi', { whendelivered: receiverUrl.replace('//', '//sender:s%3Acret@') });
      await sandbox.elks46.reportsSettled();

      expect(authorizations[0]).toBe(`Basic ${btoa('sender:s:cret')}`);
    });

    it('are repeated while the receiver does not take them', async () => {
      receiverStatus = 500;
      await send('[[sandbox:reports=delivered]]');
      await sandbox.elks46.reportsSettled();

      expect(sandbox.elks46.reports.map(({ attempt, status }) => [attempt, status])).toEqual(
        [1, 2, 3, 4, 5].map((attempt) => [attempt, 500]),
      );
    });

    it('never leave this machine', async () => {
      await send('[[sandbox:reports=sent]]', { whendelivered: 'http://example.com/dlr' });
      await sandbox.elks46.reportsSettled();

      expect(sandbox.elks46.reports).toEqual([
        expect.objectContaining({ error: expect.stringContaining('loopback'), attempt: 1 }),
      ]);
    });

    it('do not come without an address', async () => {
      await send('Hi', {});
      await sandbox.elks46.reportsSettled();

      expect(sandbox.elks46.reports).toEqual([]);
    });
  });
});
