import { randomBytes } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, DatabaseModule } from '@platform/database';
import {
  IdempotencyMaintenanceService,
  IdempotencyOperatorModule,
  IdempotencyStoreService,
} from '@platform/idempotency';
import { startApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { type FullApi, startFullApi } from '@test/full-api';
import { createKeyedCaller } from '@test/idempotent-posts';
import { rawHttp } from '@test/raw-http';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import { databaseHasServed } from '@test/served-time';

const TICKET = { title: 'Printer', body: 'It is on fire, urgently and confidentially' };
const SMS = { to: '+4790000000', message: 'Hello' };
const codeOf = (body: string) => (JSON.parse(body) as { code?: string }).code;

describe('an Idempotency-Key', () => {
  let full: FullApi;
  const key = randomBytes(32).toString('base64');
  beforeAll(async () => (full = await startFullApi({ SECRETS_KEY: key, SMS_GATEWAY_TIMEOUT_MS: '1000' })));
  afterEach(() => setDatabaseClock(full.api.superuser, 'right'));
  afterAll(() => full.stop());
  beforeEach(() => full.sandbox.reset());

  const stored = async (customerId: string) => {
    const sql = `select state, row_to_json(k)::text as text, reply from idempotency_key k where customer_id = $1`;
    return (await full.api.superuser.query<{ state: string; text: string; reply: Buffer | null }>(sql, [customerId]))
      .rows;
  };

  it('is claimed in the transaction of its effect, and never by itself', async () => {
    const { customer } = await createKeyedCaller(full);
    const { app } = full.api;
    const claim = () =>
      app.get(IdempotencyStoreService, { strict: false }).claim({
        customerId: customer.id,
        key: 'alone',
        hash: Buffer.alloc(32),
        fingerprint: Buffer.alloc(32),
      });
    const asCustomer = (work: () => Promise<void>) => app.get(CustomerContextService).run(customer.id, work);
    await expect(asCustomer(claim)).rejects.toThrow('part of a transaction');
    expect(await stored(customer.id)).toEqual([]);
    const database = app.get(CustomerDatabaseService);
    await asCustomer(() => database.transaction(claim));
    expect(await stored(customer.id)).toHaveLength(1);
  });

  describe('is refused when it', () => {
    it.each([
      ['is empty', 'is empty', ['Idempotency-Key: ']],
      ['is empty between quotes', 'is empty', ['Idempotency-Key: ""']],
      ['has 256 characters', 'may have 255 characters at most', [`Idempotency-Key: ${'k'.repeat(256)}`]],
      ['has a tab', 'may have printable ASCII characters only', ['Idempotency-Key: a\tb']],
      ['has a letter beyond ASCII', 'may have printable ASCII characters only', ['Idempotency-Key: n\u00f8kkel']],
      ['is there twice', 'was sent more than once', ['Idempotency-Key: a', 'idempotency-key: b']],
      ['is there twice, the same', 'was sent more than once', ['Idempotency-Key: a', 'Idempotency-Key: a']],
    ])('%s', async (_, fault, lines) => {
      const { token, customer } = await createKeyedCaller(full);
      const body = JSON.stringify(TICKET);
      const head = [
        'POST /api/v1/support/tickets HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        `Authorization: Bearer ${token.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        ...lines,
      ].join('\r\n');
      const reply = await rawHttp(full.api.origin, Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'));
      expect({ status: reply?.status, code: codeOf(reply?.body ?? '{}') }).toEqual({
        status: 400,
        code: 'invalid_request',
      });
      expect(reply?.body).toContain(`"detail":"The header Idempotency-Key ${fault}"`);
      expect(await stored(customer.id)).toEqual([]);
    });

    it('has a control character: that is no HTTP', async () => {
      const request = 'POST /api/v1/support/tickets HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: a\x01b\r\n\r\n';
      expect(await rawHttp(full.api.origin, request)).toMatchObject({ status: 400 });
    });
  });

  it.each(['k', 'k'.repeat(255), 'with blanks and "quotes"', '"quoted, with \\" and \\\\"'])(
    'can be %s',
    async (given) => {
      const { post } = await createKeyedCaller(full);
      const first = await post('/support/tickets', TICKET, given);
      expect(await post('/support/tickets', TICKET, given)).toEqual({ ...first, status: 201, replayed: true });
    },
  );

  it('has one request, whichever form its address has', async () => {
    const { post, token } = await createKeyedCaller(full);
    const { body } = await post('/support/tickets', TICKET, 'one');
    const sent = JSON.stringify(TICKET);
    const request = (address: string) => [
      `POST ${address} HTTP/1.1`,
      ...['Host: localhost', 'Connection: close', `Authorization: Bearer ${token.token}`, 'Idempotency-Key: one'],
      ...['Content-Type: application/json', `Content-Length: ${sent.length}`, '', sent],
    ];
    for (const address of [`${full.api.baseUrl}/support/tickets`, '/api/v1/support/%74ickets'])
      expect(await rawHttp(full.api.origin, request(address).join('\r\n'))).toMatchObject({ status: 201, body });
  });

  it('is ignored by a GET', async () => {
    const { call, customer } = await createKeyedCaller(full);
    expect((await call('/customer', { headers: { 'idempotency-key': '' } })).status).toBe(200);
    expect(await stored(customer.id)).toEqual([]);
  });

  it('is ignored by a PATCH and a DELETE: a second DELETE finds nothing', async () => {
    const { call, post, newKey } = await createKeyedCaller(full);
    const { id } = JSON.parse((await post('/webhooks/endpoints', { url: 'https://hooks.example.com/' })).body) as {
      id: string;
    };
    const headers = { 'idempotency-key': newKey() };
    const change = async (event_types: string[]) => {
      const body = JSON.stringify({ event_types });
      const reply = await call(`/webhooks/endpoints/${id}`, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      return [reply.status, ((await reply.json()) as { event_types: string[] }).event_types];
    };
    expect(await change(['sms.failed'])).toEqual([200, ['sms.failed']]);
    expect(await change(['ticket.replied'])).toEqual([200, ['ticket.replied']]);
    const remove = () => call(`/webhooks/endpoints/${id}`, { method: 'DELETE', headers });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  });

  it('is stored as its hash, and its reply encrypted', async () => {
    const { post, customer, newKey } = await createKeyedCaller(full);
    const callers = newKey();
    const { body } = await post('/support/tickets', TICKET, callers);
    const [row, ...more] = await stored(customer.id);
    expect(more).toEqual([]);
    expect(row?.state).toBe('done');
    const bytes = row?.reply?.toString('latin1') ?? '';
    expect(bytes.length).toBeGreaterThan(body.length / 2);
    for (const secret of [callers, Buffer.from(callers).toString('hex'), key]) expect(row?.text).not.toContain(secret);
    for (const part of ['confidentially', 'status', '201', callers]) expect(bytes).not.toContain(part);
  });

  it('is free again after 24 hours', async () => {
    const { post, newKey } = await createKeyedCaller(full);
    const callers = newKey();
    const first = await post('/support/tickets', TICKET, callers);
    await setDatabaseClock(full.api.superuser, { aheadBy: '23 hours 59 minutes' });
    expect(await post('/support/tickets', TICKET, callers)).toEqual({ ...first, replayed: true });
    await setDatabaseClock(full.api.superuser, { aheadBy: '24 hours 1 minute' });
    const second = await post('/support/tickets', TICKET, callers);
    expect(second).toMatchObject({ status: 201, replayed: false });
    expect(second.body).not.toBe(first.body);
  });

  it('is free at the very moment at which they end', async () => {
    const { post, newKey } = await createKeyedCaller(full);
    const callers = newKey();
    const begin = Date.now();
    await setDatabaseClock(full.api.superuser, { standsAt: new Date(begin) });
    const first = await post('/support/tickets', TICKET, callers);
    await setDatabaseClock(full.api.superuser, { standsAt: new Date(begin + 86_400_000) });
    const second = await post('/support/tickets', TICKET, callers);
    expect([first, second]).toMatchObject([
      { status: 201, replayed: false },
      { status: 201, replayed: false },
    ]);
  });

  const openWorker = () =>
    Test.createTestingModule({
      imports: [
        ConfigModule.for(full.api.database.config),
        DatabaseModule.as('account_operator'),
        IdempotencyOperatorModule,
      ],
    }).compile();

  it('is purged by the worker after 24 hours, not before, and later ones stay', async () => {
    const { post, customer, newKey } = await createKeyedCaller(full);
    const [old, recent] = [newKey(), newKey()];
    await post('/support/tickets', TICKET, old);
    const worker = await openWorker();
    const maintenance = worker.get(IdempotencyMaintenanceService);
    await setDatabaseClock(full.api.superuser, { aheadBy: '23 hours 59 minutes' });
    await maintenance.purgeExpired();
    expect(await stored(customer.id)).toHaveLength(1);
    await setDatabaseClock(full.api.superuser, { aheadBy: '2 hours' });
    const { body } = await post('/support/tickets', TICKET, recent);
    await setDatabaseClock(full.api.superuser, { aheadBy: '24 hours 1 minute' });
    expect(await maintenance.purgeExpired()).toBeGreaterThan(0);
    expect(await stored(customer.id)).toHaveLength(1);
    expect(await post('/support/tickets', TICKET, recent)).toMatchObject({ body, replayed: true });
    await worker.close();
  });

  it('stays if it is used again while the worker purges it', async () => {
    const { post, customer, newKey } = await createKeyedCaller(full);
    await post('/support/tickets', TICKET, newKey());
    await setDatabaseClock(full.api.superuser, { aheadBy: '24 hours 1 minute' });
    const worker = await openWorker();
    const again = await connectAsSuperuser(full.api.database);
    await again.query('begin');
    const { rows } = await again.query<{ key_hash: Buffer; fingerprint: Buffer }>(
      'select key_hash, fingerprint from idempotency_key where customer_id = $1',
      [customer.id],
    );
    const claim = [customer.id, rows[0]!.key_hash, rows[0]!.fingerprint];
    const claimed = await again.query('select app.claim_idempotency_key($1, $2, $3, null) as claimed', claim);
    expect(claimed.rows).toEqual([{ claimed: true }]);
    // It does not wait for the claim either: it would delete what it waited for.
    await worker.get(IdempotencyMaintenanceService).purgeExpired();
    await again.query('commit');
    expect(await stored(customer.id)).toMatchObject([{ state: 'in_progress' }]);
    await again.end();
    await worker.close();
  });

  it('has its reply after SECRETS_KEY was changed, as long as FORMER_SECRETS_KEY is known', async () => {
    const { post, token, newKey } = await createKeyedCaller(full);
    const callers = newKey();
    const first = await post('/support/tickets', TICKET, callers);
    const { database } = full.api;
    const changed = { ...database.config, SECRETS_KEY: randomBytes(32).toString('base64') };
    for (const [FORMER_SECRETS_KEY, expected] of [
      [key, { status: 201, body: first.body }],
      [undefined, { status: 409 }],
    ] as const) {
      const config = Object.assign(Object.create(Object.getPrototypeOf(database.config) as object) as object, changed, {
        FORMER_SECRETS_KEY,
      }) as typeof database.config;
      const other = await startApi({}, { ...database, config, drop: () => Promise.resolve() });
      const reply = await fetch(`${other.baseUrl}/support/tickets`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token.token}`,
          'content-type': 'application/json',
          'idempotency-key': callers,
        },
        body: JSON.stringify(TICKET),
      });
      expect({ status: reply.status, body: await reply.text() }).toMatchObject(expected);
      await other.stop();
    }
  });

  describe('of an SMS', () => {
    it('is free again when the gateway refused the message', async () => {
      const { post, newKey } = await createKeyedCaller(full);
      const callers = newKey();
      full.sandbox.elks46.script({ status: 400 });
      expect(await post('/sms/send', SMS, callers)).toMatchObject({ status: 502, replayed: false });
      expect(await post('/sms/send', SMS, callers)).toMatchObject({ status: 201, replayed: false });
      expect(full.sandbox.elks46.accepted).toHaveLength(1);
    });

    it('is kept with the reply that nobody knows whether it was sent', async () => {
      const { post, newKey } = await createKeyedCaller(full);
      const callers = newKey();
      full.sandbox.elks46.script({ hang: true });
      const first = await post('/sms/send', SMS, callers);
      expect({ status: first.status, code: codeOf(first.body) }).toEqual({ status: 502, code: 'sms_gateway_failed' });
      expect(await post('/sms/send', SMS, callers)).toEqual({ ...first, replayed: true });
      expect(full.sandbox.elks46.total).toBe(1);
    });

    it('has the reply that nobody knows when its time is up, also without a worker, and keeps it', async () => {
      const { post, newKey } = await createKeyedCaller(full);
      const callers = newKey();
      const gate = full.sandbox.elks46.hold();
      const first = post('/sms/send', SMS, callers);
      await full.sandbox.elks46.received(1);
      await databaseHasServed(full.api.superuser);
      await setDatabaseClock(full.api.superuser, { aheadBy: '1 hour' });
      const second = await post('/sms/send', SMS, callers);
      expect(second).toMatchObject({ status: 502, replayed: true });
      gate.open();
      await first;
      expect(await post('/sms/send', SMS, callers)).toEqual(second);
    });

    it('is completed later when the database is away as its request ends, which is answered', async () => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const callers = newKey();
      const away = Object.assign(new Error('The database is away'), { code: '57P01' });
      const store = full.api.app.get(IdempotencyStoreService, { strict: false });
      const complete = jest.spyOn(store, 'complete').mockRejectedValueOnce(away);
      const first = await post('/sms/send', SMS, callers);
      expect(first).toMatchObject({ status: 201, replayed: false });
      await until(async () => (await stored(customer.id))[0]?.state === 'done');
      expect(complete).toHaveBeenCalledTimes(2);
      complete.mockRestore();
      expect(await post('/sms/send', SMS, callers)).toEqual({ ...first, replayed: true });
      expect(full.sandbox.elks46.accepted).toHaveLength(1);
      // The transaction that failed is over; another one may be on its way for a moment.
      const idle = `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
      await until(async () => (await full.api.superuser.query(idle)).rowCount === 0);
    });

    it('that cannot be ended does not keep the outcome from being stored', async () => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const store = full.api.app.get(IdempotencyStoreService, { strict: false });
      const complete = jest.spyOn(store, 'complete').mockRejectedValue(new Error('The key is refused for good'));
      expect(await post('/sms/send', SMS, newKey())).toMatchObject({ status: 201 });
      complete.mockRestore();
      const statusOf = async () =>
        (
          await full.api.superuser.query<{ status: string }>(`select status from sms_message where customer_id = $1`, [
            customer.id,
          ])
        ).rows[0]?.status;
      await until(async () => (await statusOf()) === 'accepted');
      expect((await stored(customer.id))[0]?.state).toBe('in_progress');
    });

    it('is in progress while the gateway is asked', async () => {
      const { post, newKey } = await createKeyedCaller(full);
      const callers = newKey();
      const gate = full.sandbox.elks46.hold();
      const first = post('/sms/send', SMS, callers);
      await full.sandbox.elks46.received(1);
      const second = await post('/sms/send', SMS, callers);
      expect({ status: second.status, code: codeOf(second.body) }).toEqual({
        status: 409,
        code: 'idempotency_key_in_progress',
      });
      gate.open();
      const { body } = await first;
      expect(await post('/sms/send', SMS, callers)).toMatchObject({ body, replayed: true });
      expect(full.sandbox.elks46.accepted).toHaveLength(1);
    });
  });
});
