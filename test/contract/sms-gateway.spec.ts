import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ServiceError } from '@platform/errors';
import type { RawReply } from '../../apps/sandbox/src/shared/faults/directives';
import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';
import { rawReply, startRawServer } from '@test/raw-server';
import { until } from '@test/until';

type Script = Record<string, string | number | true | object> & { reply?: RawReply };

const DIRECTIONS: { gateway: '46elks' | 'link-mobility'; control: 'elks46' | 'link' }[] = [
  { gateway: '46elks', control: 'elks46' },
  { gateway: 'link-mobility', control: 'link' },
];

describe.each(DIRECTIONS)('SMS through $gateway', ({ gateway, control }) => {
  let fixture: SmsFixture;
  let customer: string;

  beforeAll(async () => {
    fixture = await createSmsFixture({ SMS_GATEWAY: gateway });
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    // A success first: failures of one test must not open the circuit in the next.
    fixture.sandbox.reset();
    await fixture.send(await fixture.customer());
    await fixture.sandbox[control].reportsSettled();
    fixture.sandbox.reset();
    customer = await fixture.customer();
  });

  /** Sends with scripted replies of the gateway; returns the error's code and the log entry. */
  async function attempt(...scripts: Script[]) {
    fixture.sandbox[control].script(...scripts);
    const code = await fixture.send(customer).then(
      () => undefined,
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    );
    await fixture.sandbox[control].reportsSettled();
    const [row, ...others] = await fixture.rows(customer);
    expect(others).toEqual([]);
    return { code, status: row?.status, errorCode: row?.error_code, tries: fixture.sandbox[control].total };
  }

  it('hands the message over with the sender, our reference and a wish for reports, and keeps the gateway id', async () => {
    fixture.sandbox[control].script({ reports: 'none' });
    const sent = await fixture.send(customer, { message: 'Blåbær æøå' });
    expect(sent).toMatchObject({
      status: 'accepted',
      segments: 1,
      encoding: 'GSM-7',
      senderId: 'Acme',
      recipient: '+4790000000',
    });
    const [taken] = fixture.sandbox[control].accepted;
    expect(taken).toMatchObject({ from: 'Acme', to: '+4790000000', text: 'Blåbær æøå' });
    if (control === 'elks46') await fixture.sandbox.elks46.report(taken!, 'delivered');
    else await fixture.sandbox.link.report(taken!, 1001);
    const [row] = await fixture.rows(customer);
    expect(row).toMatchObject({ id: sent.id, status: 'delivered', gateway_message_id: taken?.id, error_code: null });
    expect(row?.delivered_at).toBeInstanceOf(Date);
  });

  it.each<[string, Script[], object]>([
    [
      'refuses the credentials with 401',
      [{ status: 401 }],
      { code: 'sms_gateway_failed', status: 'failed', errorCode: 'gateway_refused_account', tries: 1 },
    ],
    [
      'refuses the account with 403',
      [{ status: 403 }],
      { code: 'sms_gateway_failed', status: 'failed', errorCode: 'gateway_refused_account', tries: 1 },
    ],
    ['answers 404', [{ status: 404 }], { status: 'failed', tries: 1 }],
    ...[408, 409, 499].map((status): [string, Script[], object] => [
      `gives up waiting, or the like, with ${status}`,
      [{ status, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', errorCode: 'gateway_error', tries: 1 },
    ]),
    [
      'gives up waiting with 408 although the message goes out',
      [{ status: 408, sent: true, 'reports-early': true }],
      { code: undefined, status: 'delivered', tries: 1 },
    ],
    [
      'fails with 500',
      [{ status: 500 }],
      { code: 'sms_gateway_failed', status: 'unknown', errorCode: 'gateway_error', tries: 1 },
    ],
    [
      'fails with 503 that may come from a proxy',
      [{ status: 503 }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'has a proxy that answers HTML',
      [{ 'not-json-error': 502 }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'answers 200 with HTML',
      [{ 'not-json': true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', errorCode: 'gateway_error', tries: 1 },
    ],
    [
      'answers 200 with half a body',
      [{ truncated: true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'answers 200 with something else',
      [{ 'wrong-shape': true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'answers 200 with nothing',
      [{ empty: true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'cuts the connection after the request',
      [{ cut: true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', errorCode: 'gateway_error', tries: 1 },
    ],
    [
      'cuts the reply in half',
      [{ 'cut-body': true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'never answers',
      [{ hang: true, reports: 'none' }],
      { code: 'sms_gateway_failed', status: 'unknown', errorCode: 'gateway_timeout', tries: 1 },
    ],
    [
      'redirects',
      [{ reports: 'none', reply: { status: 302, headers: { location: '/' }, body: '' } }],
      { code: 'sms_gateway_failed', status: 'unknown', tries: 1 },
    ],
    [
      'turns us away with 429 for good',
      [
        { status: 429, 'retry-after': 0 },
        { status: 429, 'retry-after': 0 },
        { status: 429, 'retry-after': 0 },
      ],
      { code: 'sms_gateway_failed', status: 'failed', errorCode: 'gateway_busy', tries: 3 },
    ],
    [
      'turns us away for longer than a call may take',
      [{ status: 429, 'retry-after': 60 }],
      { code: 'sms_gateway_failed', status: 'failed', errorCode: 'gateway_busy', tries: 1 },
    ],
    [
      'turns us away once with 429',
      [{ status: 429, 'retry-after': 0 }],
      { code: undefined, status: 'delivered', tries: 2 },
    ],
    [
      'turns us away once with 503 and Retry-After',
      [{ status: 503, 'retry-after': 0 }],
      { code: undefined, status: 'delivered', tries: 2 },
    ],
  ])('tells and logs it rightly when the gateway %s', async (_, scripts, expected) => {
    expect(await attempt(...scripts)).toMatchObject(expected);
    expect(fixture.sandbox[control].accepted.length).toBeLessThanOrEqual(1);
  });

  it('is certain that nothing was sent when the gateway cannot be reached, and sends once it can', async () => {
    await fixture.sandbox.refuseConnections();
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_gateway_failed' });
    await fixture.sandbox.acceptConnections();
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'failed', error_code: 'gateway_unreachable' }]);
    expect(fixture.sandbox[control].accepted).toEqual([]);
    await fixture.send(customer);
    expect(fixture.sandbox[control].accepted).toHaveLength(1);
  });

  it('believes a report that comes before the reply', async () => {
    expect(await attempt({ 'reports-early': true })).toMatchObject({ code: undefined, status: 'delivered', tries: 1 });
  });

  it('believes a report although the reply never came', async () => {
    const result = await attempt({ 'reports-early': true, cut: true });
    expect(result).toMatchObject({ code: undefined, status: 'delivered', tries: 1 });
  });

  it('believes a report that it was sent on although the reply never came, and not one that it failed', async () => {
    const [sent, failed] = control === 'elks46' ? ['sent', 'failed'] : ['1000', '1006'];
    const early = { 'reports-early': true, cut: true } as const;
    expect(await attempt({ ...early, reports: sent })).toMatchObject({ code: undefined, status: 'sent', tries: 1 });
    customer = await fixture.customer();
    const other = await attempt({ ...early, reports: failed });
    expect(other).toMatchObject({ code: 'sms_gateway_failed', status: 'failed', errorCode: 'not_delivered' });
  });
});

describe('The refusals of 46elks', () => {
  let fixture: SmsFixture;
  beforeAll(async () => {
    fixture = await createSmsFixture({ SMS_GATEWAY: '46elks' });
  });
  afterAll(() => fixture.close());

  it.each([
    ['created', 'accepted'],
    ['sent', 'sent'],
    // Delivered is a message when its report says so.
    ['delivered', 'sent'],
  ])('are not the status %s, with which a message is %s', async (replied, status) => {
    fixture.sandbox.elks46.script({ 'reply-status': replied, reports: 'none' });
    expect(await fixture.send(await fixture.customer())).toMatchObject({ status, errorCode: null });
  });

  it('are not a reply without an id: the message may have been sent', async () => {
    const customer = await fixture.customer();
    fixture.sandbox.elks46.script({ reply: { body: { id: '', status: 'created' } } });
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_gateway_failed' });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'unknown', error_code: 'gateway_error' }]);
  });

  it.each<[string, Script, string, string]>([
    [
      'an invalid recipient',
      { reply: { status: 400, body: 'Invalid phone number in key to' } },
      'sms_gateway_rejected',
      'invalid_recipient',
    ],
    [
      'an invalid sender',
      { reply: { status: 400, body: 'Invalid sender in key from' } },
      'sms_gateway_rejected',
      'invalid_sender',
    ],
    ['anything else', { status: 400 }, 'sms_gateway_rejected', 'rejected'],
    ['a sentence with the word to', { refusal: 'Unable to send to this account' }, 'sms_gateway_rejected', 'rejected'],
    ['a sentence with the word from', { refusal: 'Refused: texts from you' }, 'sms_gateway_rejected', 'rejected'],
    ['a missing recipient', { refusal: 'Missing key to' }, 'sms_gateway_rejected', 'invalid_recipient'],
    ['a message that failed at once', { 'reply-status': 'failed' }, 'sms_gateway_rejected', 'rejected'],
    ['an account without money', { 'no-credits': true }, 'sms_gateway_failed', 'gateway_refused_account'],
  ])('are told and logged: %s', async (_, script, code, errorCode) => {
    const customer = await fixture.customer();
    fixture.sandbox.elks46.script({ ...script, reports: 'none' });
    await expect(fixture.send(customer)).rejects.toMatchObject({ code });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'failed', error_code: errorCode }]);
  });
});

describe('The refusals of LINK Mobility', () => {
  let fixture: SmsFixture;
  beforeAll(async () => {
    fixture = await createSmsFixture({ SMS_GATEWAY: 'link-mobility' });
  });
  afterAll(() => fixture.close());

  it.each([
    [1005, 'accepted'],
    [1000, 'sent'],
    // Delivered is a message when its report says so.
    [1001, 'sent'],
  ])('are not %d, with which a message is %s', async (result, status) => {
    fixture.sandbox.link.script({ result, sent: true, reports: 'none' });
    expect(await fixture.send(await fixture.customer())).toMatchObject({ status, errorCode: null });
  });

  it.each<[string, Script, string, string]>([
    ['an invalid sender', { status: 400, result: 2000 }, 'sms_gateway_rejected', 'invalid_sender'],
    ['an invalid recipient', { status: 400, result: 2102 }, 'sms_gateway_rejected', 'invalid_recipient'],
    ['an unknown subscriber, inside a 200', { result: 2104 }, 'sms_gateway_rejected', 'invalid_recipient'],
    ['a barred subscriber', { status: 400, result: 2105 }, 'sms_gateway_rejected', 'recipient_blocked'],
    ['invalid content', { status: 400, result: 4001 }, 'sms_gateway_rejected', 'invalid_content'],
    ['one that is over already', { result: 1002 }, 'sms_gateway_rejected', 'expired'],
    ['a delivery that failed at once', { result: 1006 }, 'sms_gateway_rejected', 'rejected'],
    [
      'a status that is certain with a code that is not',
      { status: 413, result: 1500 },
      'sms_gateway_rejected',
      'rejected',
    ],
    ['a status that is certain with a code', { status: 413, result: 4001 }, 'sms_gateway_rejected', 'invalid_content'],
    ['an invalid platform', { status: 400, result: 106200 }, 'sms_gateway_failed', 'gateway_refused_account'],
    ['an unknown gate', { status: 400, result: 106301 }, 'sms_gateway_failed', 'gateway_refused_account'],
  ])('are told and logged: %s', async (_, script, code, errorCode) => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script(script);
    await expect(fixture.send(customer)).rejects.toMatchObject({ code });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'failed', error_code: errorCode }]);
  });

  it.each<[string, Script]>([
    ['0, inside a 200', { result: 0 }],
    ['1013', { result: 1013 }],
    ['1500', { result: 1500 }],
    ['9999 with a 400', { status: 400, result: 9999 }],
    ['106000 with a 400', { status: 400, result: 106000 }],
  ])('are none when the code says nothing certain: %s', async (_, script) => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script({ ...script, reports: 'none' });
    await expect(fixture.send(customer)).rejects.toMatchObject({
      code: 'sms_gateway_failed',
      detail: expect.stringContaining('may have been sent'),
    });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'unknown', error_code: 'gateway_error' }]);
    const { rows } = await fixture.superuser.query('select messages from sms_daily_count where customer_id = $1', [
      customer,
    ]);
    expect(rows).toEqual([{ messages: 1 }]);
  });

  it('that say nothing certain are overruled by the report', async () => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script({ result: 1500, sent: true, 'reports-early': true });
    expect(await fixture.send(customer)).toMatchObject({ status: 'delivered', errorCode: null });
  });

  it.each([
    ['+4790000000', 'MSISDN'],
    ['2333', 'SHORTNUMBER'],
    ['Acme', 'ALPHANUMERIC'],
  ])('are not of the sender %s, which goes out as %s', async (sender, kind) => {
    fixture.sandbox.reset();
    const customer = await fixture.customer();
    await fixture.superuser.query('update sms_settings set sender_id = $2 where customer_id = $1', [customer, sender]);
    await fixture.send(customer);
    const body = JSON.parse(String(fixture.sandbox.link.requests.at(-1)?.body)) as object;
    expect(body).toMatchObject({ source: sender, sourceTON: kind });
  });

  it('include emoji, which is refused before anything is sent or counted', async () => {
    const customer = await fixture.customer();
    await expect(fixture.send(customer, { message: 'Hello 😀' })).rejects.toMatchObject({
      code: 'invalid_request',
      options: { errors: [{ pointer: '/message' }] },
    });
    expect(await fixture.rows(customer)).toEqual([]);
  });
});

describe('A gateway that takes the connection and then says nothing', () => {
  it('has got nothing when not even TLS was agreed on in time: the message certainly was not sent', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    const fixture = await createSmsFixture({
      ELKS_URL: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      ELKS_USERNAME: 'user',
      ELKS_PASSWORD: 'password',
      SMS_GATEWAY_TIMEOUT_MS: '500',
    });
    const customer = await fixture.customer();
    await expect(fixture.send(customer)).rejects.toMatchObject({
      code: 'sms_gateway_failed',
      detail: expect.stringContaining('nothing was sent'),
    });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'failed', error_code: 'gateway_timeout' }]);
    for (const socket of sockets) socket.destroy();
    silent.close();
    await fixture.close();
  });
});

describe('SMS without a gateway', () => {
  it('certainly are not sent, and do not count', async () => {
    const fixture = await createSmsFixture({ SANDBOX_URL: '' });
    const customer = await fixture.customer();
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_gateway_failed' });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'failed', error_code: 'gateway_not_configured' }]);
    const { rows } = await fixture.superuser.query(
      'select messages, parts from sms_daily_count where customer_id = $1',
      [customer],
    );
    expect(rows).toEqual([{ messages: 0, parts: 0 }]);
    await fixture.close();
  });
});

describe('The SMS circuit', () => {
  let fixture: SmsFixture;
  beforeEach(async () => {
    fixture = await createSmsFixture({ UPSTREAM_BREAKER_FAILURES: '6', UPSTREAM_BREAKER_SPREAD_MS: '0' });
    fixture.sandbox.elks46.always({ status: 500 });
  });
  afterEach(() => fixture.close());
  const fail = async (customer: string, times: number) => {
    for (let call = 0; call < times; call++) await fixture.send(customer).catch(() => undefined);
  };

  it('answers at once, and leaves the gateway alone, once it has failed several customers', async () => {
    const [first, second, third] = [await fixture.customer(), await fixture.customer(), await fixture.customer()];
    for (const customer of [first, second, third]) await fail(customer, 2);
    expect(fixture.sandbox.elks46.total).toBe(6);
    await fail(first, 1);
    expect(fixture.sandbox.elks46.total).toBe(6);
    const codes = (await fixture.rows(first)).map(({ error_code }) => error_code);
    expect(codes).toEqual(['gateway_down', 'gateway_error', 'gateway_error']);
  });

  it('stays closed for all others under any messages of one customer', async () => {
    await fail(await fixture.customer(), 12);
    expect(fixture.sandbox.elks46.total).toBe(12);
    fixture.sandbox.elks46.always();
    expect(await fixture.send(await fixture.customer())).toMatchObject({ errorCode: null });
  });

  it('stays closed under any refusals of the gateway', async () => {
    fixture.sandbox.elks46.always({ status: 400 });
    for (let call = 0; call < 12; call++) await fail(await fixture.customer(), 1);
    expect(fixture.sandbox.elks46.total).toBe(12);
  });
});

describe('An account of the operator at 46elks', () => {
  it.each([
    ['none where no address is set for them', ''],
    ['them at the address that is set', 'https://reports.example'],
  ])('sends with its own credentials, and asks for reports: %s', async (_, reports) => {
    const server = await startRawServer();
    server.answer((socket) => socket.write(rawReply(200, '{"id":"s1","status":"created"}')));
    const account = { ELKS_URL: server.url, ELKS_USERNAME: 'operator', ELKS_PASSWORD: 'secret' };
    const fixture = await createSmsFixture({ ...account, SMS_REPORT_URL: reports });
    const customer = await fixture.customer();
    await fixture.send(customer, { message: 'Blåbær & 1 + 1' });
    const [head = '', body = ''] = server.requests[0]?.split('\r\n\r\n') ?? [];
    expect(head).toMatch(/^POST \/a1\/sms /);
    expect(head).toMatch(new RegExp(`^authorization: Basic ${btoa('operator:secret')}$`, 'im'));
    expect(head).toMatch(/^content-type: application\/x-www-form-urlencoded$/im);
    const { whendelivered, ...form } = Object.fromEntries(new URLSearchParams(body));
    expect(form).toEqual({ from: 'Acme', to: '+4790000000', message: 'Blåbær & 1 + 1' });
    const address = expect.stringMatching(
      /^https:\/\/reports\.example\/sms\/delivery-reports\/46elks\/[\w-]{64}$/,
    ) as string;
    expect(whendelivered).toEqual(reports === '' ? undefined : address);
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'accepted', gateway_message_id: 's1' }]);
    await fixture.close();
    await server.close();
  });
});

describe('An account of the operator at LINK Mobility', () => {
  it.each([
    ['no', undefined],
    ['its', 'our-gate'],
  ])('asks for reports at %s own gate, never at that of the sandbox', async (_, gate) => {
    const server = await startRawServer();
    server.answer((socket) => socket.write(rawReply(204, '')));
    const fixture = await createSmsFixture({
      SMS_GATEWAY: 'link-mobility',
      LINK_URL: server.url,
      LINK_USERNAME: 'operator',
      LINK_PASSWORD: 'secret',
      LINK_PLATFORM_ID: 'OUR_PLATFORM',
      LINK_PLATFORM_PARTNER_ID: '4711',
      ...(gate !== undefined && { LINK_REPORT_GATE: gate }),
    });
    await fixture.send(await fixture.customer());
    const [head = '', body = ''] = server.requests[0]?.split('\r\n\r\n') ?? [];
    expect(head).toMatch(/^POST \/sms\/send /);
    expect(head).toMatch(new RegExp(`^authorization: Basic ${btoa('operator:secret')}$`, 'im'));
    expect(head).toMatch(/^content-type: application\/json$/im);
    expect(JSON.parse(body)).toEqual({
      ...{ platformId: 'OUR_PLATFORM', platformPartnerId: '4711', source: 'Acme', sourceTON: 'ALPHANUMERIC' },
      ...{ destination: '+4790000000', userData: 'Hello', refId: expect.stringMatching(/^[\w-]{64}$/) },
      ...{ ignoreResponse: false, useDeliveryReport: gate !== undefined },
      ...(gate !== undefined && { deliveryReportGates: [gate] }),
    });
    await fixture.close();
    await server.close();
  });

  it('without a password is not used: the sandbox takes its SMS, and reports them', async () => {
    const fixture = await createSmsFixture({ SMS_GATEWAY: 'link-mobility', LINK_USERNAME: 'operator' });
    const customer = await fixture.customer();
    await fixture.send(customer);
    await fixture.sandbox.link.reportsSettled();
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'delivered' }]);
    await fixture.close();
  });
});

describe('A customer whose SMS wait for the gateway', () => {
  it('is told to send fewer at a time when it has its share of the places, and nothing of the further ones is sent or counted', async () => {
    const fixture = await createSmsFixture({ SMS_GATEWAY_TIMEOUT_MS: '60000' });
    try {
      const [customer, other] = [await fixture.customer(), await fixture.customer()];
      const gate = fixture.sandbox.elks46.hold();
      const refusals: unknown[] = [];
      const send = () => fixture.send(customer).catch((error: unknown) => void refusals.push(error));
      // Half of the connections, and of the places of the queue: 16 and 256.
      const sent: Promise<unknown>[] = [];
      for (let started = 16; started <= 272; started += 16) {
        sent.push(...Array.from({ length: 16 }, send));
        await until(async () => (await fixture.rows(customer)).length === started);
      }
      expect(refusals).toEqual([]);
      await send();
      expect(refusals).toEqual([
        expect.objectContaining({ code: 'rate_limited', options: expect.objectContaining({ retryAfterSeconds: 5 }) }),
      ]);
      const othersSent = fixture.send(other);
      gate.open();
      await Promise.all([...sent, othersSent]);
      const rows = await fixture.rows(customer);
      expect(rows.filter(({ status }) => status === 'failed')).toMatchObject([{ error_code: 'gateway_busy' }]);
      expect(rows).toHaveLength(273);
      const counted = 'select messages from sms_daily_count where customer_id = $1';
      expect((await fixture.superuser.query(counted, [customer])).rows).toEqual([{ messages: 272 }]);
    } finally {
      await fixture.close();
    }
  }, 120_000);
});
