import { createKeyedCaller, IDEMPOTENT_POSTS } from '@test/idempotent-posts';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { type FullApi, startFullApi } from '@test/full-api';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';

const CONCURRENT = 200;

/** The limits per minute are not what is tested. */
const SETTINGS = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: '100000',
  RATE_LIMIT_AI_PER_MINUTE: '100000',
  RATE_LIMIT_SMS_PER_MINUTE: '100000',
};

const codeOf = (body: string) => (JSON.parse(body) as { code?: string }).code;

describe('Idempotency-Key', () => {
  let full: FullApi;
  beforeAll(async () => (full = await startFullApi(SETTINGS)));
  afterAll(() => full.stop());
  beforeEach(() => full.sandbox.reset());

  describe.each(IDEMPOTENT_POSTS)('on POST $name', ({ path, body, status, effects }) => {
    it('a retry gets the reply of the first try, byte for byte, and has no effect', async () => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      const first = await post(path, body, key);
      expect(first).toMatchObject({ status, replayed: false });
      expect(await post(path, body, key)).toEqual({ ...first, replayed: true });
      expect(await post(path, body, `"${key}"`)).toEqual({ ...first, replayed: true });
      expect(await effects(full, customer.id)).toBe(1);
    });

    it('a retry may come with a new token', async () => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      const first = await post(path, body, key);
      const { token } = await saveFakeToken(full.api.superuser, customer.id);
      expect(await post(path, body, key, token)).toEqual({ ...first, replayed: true });
      expect(await effects(full, customer.id)).toBe(1);
    });

    it(`${CONCURRENT} requests at once with one key have one effect`, async () => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      const replies = await Promise.all(Array.from({ length: CONCURRENT }, () => post(path, body, key)));
      const done = replies.filter((reply) => reply.status === status);
      const refused = replies.filter((reply) => reply.status !== status).map((reply) => codeOf(reply.body));
      expect(new Set(done.map((reply) => reply.body)).size).toBe(1);
      expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1);
      // Overload is told to some while the machine is slow: they had no effect either.
      const expected = ['idempotency_key_in_progress', 'service_unavailable', 'rate_limited'];
      expect(refused.filter((code) => !expected.includes(code ?? ''))).toEqual([]);
      expect(await effects(full, customer.id)).toBe(1);
      expect(await post(path, body, key)).toMatchObject({ status, replayed: true, body: done[0]?.body });
    });

    it('another request under the same key is refused', async () => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      await post(path, body, key);
      const reused = body
        ? await post(path, `${JSON.stringify(body)} `, key)
        : await post('/ai/credit-requests', { amount_nok: 500 }, key);
      expect([reused.status, codeOf(reused.body)]).toEqual([422, 'idempotency_key_reused']);
      expect(await effects(full, customer.id)).toBe(1);
    });

    it("another customer's same key is another key", async () => {
      const [one, other] = [await createKeyedCaller(full), await createKeyedCaller(full)];
      const key = one.newKey();
      // At the same time: the one must not be in progress for the other.
      const replies = await Promise.all([one, other].map(({ post }) => post(path, body, key)));
      for (const reply of replies) expect(reply).toMatchObject({ status, replayed: false });
      expect(replies[0]?.body).not.toBe(replies[1]?.body);
    });
  });

  it('requests with one key wait for each other without a connection each', async () => {
    const { post, customer, newKey } = await createKeyedCaller(full);
    const locker = await connectAsSuperuser(full.api.database);
    await locker.query('begin');
    await locker.query(`select pg_advisory_xact_lock(hashtextextended('credit request of ' || $1, 0))`, [customer.id]);
    const waiting = async () => {
      const { rows } = await full.api.superuser.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    const key = newKey();
    const requests = Promise.all(
      Array.from({ length: 8 }, () => post('/ai/credit-requests', { amount_nok: 500 }, key)),
    );
    await until(async () => (await waiting()) > 0);
    expect(await post('/support/tickets', { title: 'Printer', body: 'It is on fire' })).toMatchObject({ status: 201 });
    expect(await waiting()).toBe(1);
    await locker.query('rollback');
    await locker.end();
    const replies = await requests;
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('another request with the key of one that takes long is told at once', async () => {
    const { post, newKey } = await createKeyedCaller(full);
    const key = newKey();
    const gate = full.sandbox.messages.hold();
    const message = post('/ai/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 }, key);
    await full.sandbox.messages.received(1);
    const ticket = await post('/support/tickets', { title: 'Printer', body: 'It is on fire' }, key);
    expect([ticket.status, codeOf(ticket.body)]).toEqual([422, 'idempotency_key_reused']);
    gate.open();
    expect(await message).toMatchObject({ status: 201 });
  });

  it('the same request to another path is another request', async () => {
    const { post, newKey } = await createKeyedCaller(full);
    const opened = await post('/support/tickets', { title: 'Printer', body: 'It is on fire' });
    const { id } = JSON.parse(opened.body) as { id: string };
    const key = newKey();
    expect(await post('/support/tickets/TICKET/close', undefined, key)).toMatchObject({ status: 200 });
    const other = await post(`/support/tickets/${id}/close`, undefined, key);
    expect([other.status, codeOf(other.body)]).toEqual([422, 'idempotency_key_reused']);
  });

  it.each(IDEMPOTENT_POSTS.filter(({ body }) => body))(
    'on POST $name a request that is refused leaves its key free',
    async ({ path, body, status, effects }) => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      expect(await post(path, {}, key)).toMatchObject({ status: 400, replayed: false });
      expect(await post(path, body, key)).toMatchObject({ status, replayed: false });
      expect(await effects(full, customer.id)).toBe(1);
    },
  );

  it.each(IDEMPOTENT_POSTS.filter(({ path }) => path.includes('messages')))(
    'on POST $name a call that the provider refused leaves its key free',
    async ({ path, body, status, effects }) => {
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      full.sandbox.messages.script({ status: 529 });
      const refused = path.startsWith('/ai/v1') ? 529 : 502;
      expect(await post(path, body, key)).toMatchObject({ status: refused, replayed: false });
      full.sandbox.reset();
      expect(await post(path, body, key)).toMatchObject({ status, replayed: false });
      expect(await effects(full, customer.id)).toBe(1);
    },
  );
});
