import { fastify, type FastifyInstance } from 'fastify';
import { type Sandbox, startSandbox } from '../sandbox';

describe('the LINK Mobility stand-in', () => {
  let sandbox: Sandbox;
  let receiver: FastifyInstance;
  let reports: Record<string, unknown>[];

  beforeAll(async () => {
    receiver = fastify();
    receiver.post('/gate', (request, reply) => {
      reports.push(request.body as Record<string, unknown>);
      return reply.code(200).send();
    });
    const url = await receiver.listen({ port: 0, host: '127.0.0.1' });
    sandbox = await startSandbox({ linkGates: { gate1: `${url}/gate` } });
  });
  beforeEach(() => {
    reports = [];
  });
  afterEach(async () => {
    await sandbox.link.reportsSettled();
    sandbox.reset();
  });
  afterAll(() => Promise.all([sandbox.close(), receiver.close()]));

  const good = {
    source: 'Company',
    destination: '+4799999999',
    userData: 'Hei på deg',
    platformId: 'platform',
    platformPartnerId: 'partner',
    refId: 'row-1',
    useDeliveryReport: true,
    deliveryReportGates: ['gate1'],
  };
  const post = (body: unknown, login = 'user:password') =>
    fetch(`${sandbox.urls.link}/sms/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(login && { authorization: `Basic ${btoa(login)}` }) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const send = (userData: string) => post({ ...good, userData });

  it('queues a message', async () => {
    const response = await post(good);

    expect(response.status).toBe(200);
    const reply = (await response.json()) as { messageId: string };
    expect(reply).toEqual({
      messageId: expect.stringMatching(/^[\w+/]{24}$/),
      resultCode: 1005,
      description: 'Queued',
    });
    expect(sandbox.link.accepted).toEqual([
      expect.objectContaining({ id: reply.messageId, reference: 'row-1', text: 'Hei på deg' }),
    ]);
  });

  it('counts SMS when asked to, and says nothing when asked to', async () => {
    const counted = { ...good, userData: 'a'.repeat(161), customParameters: { replySmsCount: 'true' } };
    expect(await (await post(counted)).json()).toMatchObject({ smsCount: 2 });

    const silent = await post({ ...good, ignoreResponse: true });
    expect([silent.status, await silent.text()]).toEqual([204, '']);
  });

  it.each<[string, unknown, number]>([
    ['a body that is not JSON', '{', 106000],
    ['no platform', { ...good, platformId: undefined }, 106200],
    ['no partner', { ...good, platformPartnerId: '' }, 106201],
    ['no source', { ...good, source: undefined }, 2000],
    ['a source of twelve letters', { ...good, source: 'abcdefghijkl' }, 2000],
    ['a number as a name', { ...good, source: '12345' }, 2000],
    ['a local number', { ...good, destination: '99999999' }, 2102],
    ['no text', { ...good, userData: '' }, 4001],
    ['a text with an emoji', { ...good, userData: 'Hei 😀' }, 4001],
    ['reports without a gate', { ...good, deliveryReportGates: [] }, 106300],
    ['reports to a strange gate', { ...good, deliveryReportGates: ['gate2'] }, 106301],
  ])('refuses %s', async (_name, body, resultCode) => {
    const response = await post(body);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ resultCode, description: expect.any(String) });
    expect(sandbox.link.accepted).toEqual([]);
  });

  it('takes a short number that says it is one', async () => {
    expect((await post({ ...good, source: '2333', sourceTON: 'SHORTNUMBER' })).status).toBe(200);
  });

  it.each([
    ['', 401, 106100],
    ['sandbox-invalid:password', 401, 106100],
    ['sandbox-forbidden:password', 403, 106101],
  ])('meets the login "%s" with %i', async (login, status, resultCode) => {
    const response = await post(good, login);

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ resultCode });
  });

  describe('on demand', () => {
    it.each([400, 401, 403, 429, 500])('answers %i and takes nothing on', async (status) => {
      const response = await send(`[[sandbox:status=${status}]]`);

      expect([response.status, response.headers.get('retry-after')]).toEqual([status, status === 429 ? '1' : null]);
      expect(await response.json()).toMatchObject({ resultCode: 106000 });
      expect(sandbox.link.accepted).toEqual([]);
    });

    it('refuses inside a 200, or with a result code inside a 400', async () => {
      const inside = await send('[[sandbox:result=2106]]');
      expect([inside.status, await inside.json()]).toMatchObject([200, { resultCode: 2106 }]);
      const outside = await send('[[sandbox:status=400]][[sandbox:result=2000]]');
      expect([outside.status, await outside.json()]).toMatchObject([400, { resultCode: 2000 }]);
      expect(sandbox.link.accepted).toEqual([]);
    });

    it('takes a message on and cuts the connection', async () => {
      await expect(send('[[sandbox:cut]]')).rejects.toThrow('fetch failed');
      expect(sandbox.link.accepted).toHaveLength(1);
    });

    it('reports an unknown directive', async () => {
      expect((await send('[[sandbox:no-credits]]')).status).toBe(400);
    });
  });

  describe('delivery reports', () => {
    it('come to the gate, on the final state', async () => {
      const { messageId } = (await (await send('a'.repeat(161))).json()) as { messageId: string };
      await sandbox.link.reportsSettled();

      expect(reports).toEqual([
        {
          refId: 'row-1',
          id: messageId,
          operator: 'no.telenor',
          sentTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          timestamp: expect.stringMatching(/Z$/),
          resultCode: 1001,
          operatorResultCode: '1001',
          segments: 2,
          gateCustomParameters: {},
          customParameters: {},
        },
      ]);
    });

    it.each([
      ['1000,1001', [1000, 1001]],
      ['1001,1000,1001', [1001, 1000, 1001]],
      ['1006', [1006]],
      ['2106', [2106]],
      ['none', []],
    ])('are those asked for: %s', async (asked, expected) => {
      await send(`[[sandbox:reports=${asked}]]`);
      await sandbox.link.reportsSettled();

      expect(reports.map(({ resultCode }) => resultCode)).toEqual(expected);
    });

    it('come before the reply when asked to', async () => {
      const gate = sandbox.link.hold();
      const call = send('[[sandbox:reports-early]]');
      await gate.holding(1);
      expect(reports).toHaveLength(1);

      gate.open();
      expect((await call).status).toBe(200);
    });

    it('do not come when switched off, nor name a reference that was not given', async () => {
      await post({ ...good, useDeliveryReport: false, deliveryReportGates: undefined });
      await post({ ...good, refId: undefined });
      await sandbox.link.reportsSettled();

      expect(reports).toEqual([expect.objectContaining({ refId: null })]);
    });
  });
});
