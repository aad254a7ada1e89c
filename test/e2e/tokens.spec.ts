import { generateToken, hashToken, TokenChangeListenerService } from '@platform/tokens';
import { AppConfig } from '@platform/config';
import { PipelinedConnectionsService } from '@platform/database';
import { createCaller, caller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { createOperatorFixture, type OperatorFixture } from '@test/operator.fixture';
import { waitForLocks } from '@test/locks';
import { startTcpProxy } from '@test/tcp-proxy';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import { queriesDuring } from '@test/watch-queries';

const ACTOR = 'operator:test';
const HOUR_MS = 3_600_000;
const READING = { scopes: ['ai:read' as const] };

describe('service tokens', () => {
  let api: TestApi;
  let operator: OperatorFixture;
  beforeAll(async () => {
    api = await startApi({ RATE_LIMIT_REQUESTS_PER_MINUTE: '100000', RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' });
    operator = await createOperatorFixture(api.database);
    await trusted();
  });
  afterAll(async () => {
    await operator.close();
    await api.stop();
  });

  const listener = () => api.app.get(TokenChangeListenerService);
  const trusted = () => until(() => listener().trusted);
  const use = (token: string) => caller(api.baseUrl, token)('/customer');
  const one = async <Row extends Record<string, unknown>>(sql: string, values: unknown[]) =>
    (await api.superuser.query<Row>(sql, values)).rows[0];

  /** Statements without those that earlier calls cause some seconds later: when a token was used, which calls were refused. */
  const askedDuring = async (work: () => Promise<unknown>) =>
    (await queriesDuring(work)).filter(
      (text) => !/record_token_use|keep_refused_requests|process_heartbeat|^listen /.test(text),
    );

  async function arrange() {
    const { customer } = await createCaller(api);
    const issued = await operator.tokens.issue(ACTOR, { customerId: customer.id, scopes: ['ai:read', 'sms:read'] });
    return { customer, ...issued };
  }

  /** Every replica receives a change within 100 ms; a call that is sent later must be refused. */
  async function expectRefusedWithin100Ms(token: string): Promise<void> {
    const committedAt = performance.now();
    for (;;) {
      const sentAfter = performance.now() - committedAt;
      const reply = await use(token);
      if (reply.status === 401) {
        await expectProblem(reply, 401, 'unauthorized');
        return;
      }
      expect(sentAfter).toBeLessThan(100);
    }
  }

  /** Loads a token into the cache and checks that it is there. */
  async function warm(token: string): Promise<void> {
    // On a busy machine the probe may be late, and the token is looked up once more.
    await until(async () => {
      const asked = await queriesDuring(async () => expect((await use(token)).status).toBe(200));
      return !asked.some((text) => text.includes('authenticate'));
    });
  }

  describe('issued', () => {
    it('open the interface, and are stored as SHA-256 alone', async () => {
      const { token, id } = await arrange();
      expect((await use(token)).status).toBe(200);
      const row = await one<{ token_hash: Buffer }>('select * from service_token where id = $1', [id]);
      expect(row?.token_hash).toEqual(hashToken(token));
      await expectNowhere(token);
    });

    it('are audited without the token', async () => {
      const { id, customer } = await arrange();
      const entry = await one<{ action: string; actor: string; metadata: object }>(
        `select * from audit_log where customer_id = $1 and action = 'token.issue'`,
        [customer.id],
      );
      expect(entry).toMatchObject({ actor: ACTOR, metadata: { token_id: id, scopes: ['ai:read', 'sms:read'] } });
    });

    it.each([
      ['no scope', { scopes: [] }, 'at least one scope'],
      [
        'an expiry in the past',
        { scopes: ['ai:read' as const], expiresAt: new Date(Date.now() - 1) },
        'must be in the future',
      ],
      ['a name of half a character', { ...READING, name: 'ERP \ud83d' }, 'half a surrogate pair'],
      ['a name of two lines', { ...READING, name: 'ERP\nproduction' }, 'must be one line'],
      ['a name that is too long', { ...READING, name: '😀'.repeat(81) }, 'must have 1 to 80 characters'],
      ['a blank name', { ...READING, name: ' ' }, 'must have 1 to 80 characters, not 0'],
    ])('are refused with %s', async (_name, order, message) => {
      const { customer } = await createCaller(api);
      await expect(async () => operator.tokens.issue(ACTOR, { customerId: customer.id, ...order })).rejects.toThrow(
        message,
      );
      const { rows } = await api.superuser.query('select id from service_token where customer_id = $1', [customer.id]);
      // The token that the caller was created with.
      expect(rows).toHaveLength(1);
    });

    it('have a name of up to 80 characters, also of those that take more than others', async () => {
      const { customer } = await createCaller(api);
      const name = '😀'.repeat(80);
      const { id } = await operator.tokens.issue(ACTOR, { customerId: customer.id, ...READING, name: ` ${name} ` });
      expect(await operator.tokens.show(id)).toMatchObject({ name });
      await expect(async () => operator.tokens.rename(ACTOR, id, 'ERP \ud83d')).rejects.toThrow(
        'half a surrogate pair',
      );
    });

    /** Checks that no column of any table contains the text. */
    async function expectNowhere(text: string): Promise<void> {
      const { rows } = await api.superuser.query<{ name: string }>(
        `select tablename as name from pg_tables where schemaname = 'public'`,
      );
      for (const { name } of rows) {
        const found = await one(`select from ${name} t where t::text like '%' || $1 || '%' limit 1`, [text]);
        expect([name, found]).toEqual([name, undefined]);
      }
    }
  });

  describe('that cannot be one', () => {
    it.each([
      ['mistyped', () => generateToken().replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))],
      ['of another kind', () => 'sk_live_0123456789'],
      ['too long', () => `${generateToken()}0`],
      ['empty', () => ''],
    ])('are refused without a question to the database: %s', async (_name, text) => {
      const asked = await askedDuring(async () => expectProblem(await use(text()), 401, 'unauthorized'));
      expect(asked).toEqual([]);
    });

    it('but an unknown one that could be is asked for, each time', async () => {
      const token = generateToken();
      for (let time = 0; time < 2; time++) {
        const asked = await askedDuring(async () => expectProblem(await use(token), 401, 'unauthorized'));
        // With the reason in the same statement: such floods are the cheapest for their sender.
        expect(asked).toEqual([expect.stringMatching(/app\.token_refusal_reason.*app\.authenticate/s)]);
      }
    });
  });

  describe('remembered', () => {
    it('are asked for once, also when many calls come at the same time', async () => {
      const { token } = await arrange();
      // The probe may be late on a busy machine; then the token is rightly looked up again.
      const trust = jest.spyOn(listener(), 'trusted', 'get').mockReturnValue(true);
      const asked = await queriesDuring(() => Promise.all(Array.from({ length: 50 }, () => use(token))));
      trust.mockRestore();
      expect(asked.filter((text) => text.includes('authenticate'))).toHaveLength(1);
    });

    it('end at their expiry all the same', async () => {
      const { customer } = await createCaller(api);
      const expiresAt = new Date(Date.now() + 400);
      const { token } = await operator.tokens.issue(ACTOR, { customerId: customer.id, scopes: ['ai:read'], expiresAt });
      await warm(token);
      await until(() => Date.now() > expiresAt.getTime());
      const asked = await askedDuring(async () => expectProblem(await use(token), 401, 'unauthorized'));
      expect(asked).toEqual([]);
    });

    it('are forgotten when the customer is deactivated, and welcome again when it is activated', async () => {
      const { token, customer } = await arrange();
      await warm(token);
      await operator.customers.setActive(ACTOR, customer.id, false);
      await expectRefusedWithin100Ms(token);
      await operator.customers.setActive(ACTOR, customer.id, true);
      expect((await use(token)).status).toBe(200);
    });

    it("take over the customer's new limits", async () => {
      const { token, customer } = await arrange();
      await warm(token);
      await operator.customers.setLimits(ACTOR, customer.id, { requestsPerMinute: 7 });
      await until(async () => (await use(token)).headers.get('x-ratelimit-limit') === '7');
    });
  });

  describe('rotated', () => {
    it('go on for the grace time beside the new one, which has the same scopes and name', async () => {
      const old = await arrange();
      await operator.tokens.rename(ACTOR, old.id, 'Ordering');
      await warm(old.token);
      const fresh = await operator.tokens.rotate(ACTOR, old.id, 24);
      expect(fresh).toMatchObject({
        rotatedFrom: old.id,
        name: 'Ordering',
        scopes: old.scopes,
        customerId: old.customer.id,
        expiresAt: null,
      });
      expect([(await use(old.token)).status, (await use(fresh.token)).status]).toEqual([200, 200]);
      const row = await one<{ expires_at: Date }>('select * from service_token where id = $1', [old.id]);
      expect(Math.abs((row?.expires_at.getTime() ?? 0) - Date.now() - 24 * HOUR_MS)).toBeLessThan(10_000);
    });

    it('end at once with a grace time of 0, also where they are remembered', async () => {
      const old = await arrange();
      await warm(old.token);
      const fresh = await operator.tokens.rotate(ACTOR, old.id, 0);
      await expectRefusedWithin100Ms(old.token);
      expect((await use(fresh.token)).status).toBe(200);
    });

    it('keep their own expiry if it comes before the end of the grace time', async () => {
      const { customer } = await createCaller(api);
      const expiresAt = new Date(Date.now() + HOUR_MS);
      const old = await operator.tokens.issue(ACTOR, { customerId: customer.id, scopes: ['ai:read'], expiresAt });
      expect((await operator.tokens.rotate(ACTOR, old.id, 24)).expiresAt).toEqual(expiresAt);
      expect(await one('select expires_at from service_token where id = $1', [old.id])).toEqual({
        expires_at: expiresAt,
      });
    });

    it('are not rotated twice: the second heir would end with the grace time of the first', async () => {
      const old = await arrange();
      const results = await Promise.allSettled([1, 2, 3].map(() => operator.tokens.rotate(ACTOR, old.id, 1)));
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    });

    it.each([-1, 1.5, NaN, 8761, 1e300])('are refused a grace time of %s hours', async (hours) => {
      const { id } = await arrange();
      await expect(async () => operator.tokens.rotate(ACTOR, id, hours)).rejects.toThrow('0 to 8760 hours');
    });

    it('are refused when they have ended', async () => {
      const { id } = await arrange();
      await operator.tokens.deactivate(ACTOR, id);
      await expect(operator.tokens.rotate(ACTOR, id, 1)).rejects.toThrow('no longer valid');
    });
  });

  it('are neither issued nor rotated for a customer that is being erased', async () => {
    const { id, customer } = await arrange();
    const erasure = await connectAsSuperuser(api.database);
    await erasure.query('begin');
    await erasure.query('update customer set erased_at = now() where id = $1', [customer.id]);
    const issued = operator.tokens.issue(ACTOR, { customerId: customer.id, scopes: ['ai:read'] });
    const rotated = operator.tokens.rotate(ACTOR, id, 1);
    const ended = Promise.allSettled([issued, rotated]);
    await Promise.race([ended, waitForLocks(api.superuser, 2)]);
    await erasure.query('commit');
    await erasure.end();
    const reason = expect.objectContaining({ code: 'invalid_request', detail: 'The customer was erased' }) as unknown;
    const refused = { status: 'rejected', reason };
    expect(await ended).toEqual([refused, refused]);
    expect(await one('select count(*)::int as n from service_token where customer_id = $1', [customer.id])).toEqual({
      n: 2,
    });
  });

  describe('deactivated', () => {
    it('are refused, and leave one audit entry however often it is done', async () => {
      const { token, id, customer } = await arrange();
      await warm(token);
      await operator.tokens.deactivate(ACTOR, id);
      await expectRefusedWithin100Ms(token);
      await operator.tokens.deactivate(ACTOR, id);
      const reply = await use(token);
      await expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      const { rowCount } = await api.superuser.query(
        `select from audit_log where customer_id = $1 and action = 'token.deactivate'`,
        [customer.id],
      );
      expect(rowCount).toBe(1);
    });

    it("leave the customer's other tokens alone", async () => {
      const { id, customer } = await arrange();
      const other = await operator.tokens.issue(ACTOR, { customerId: customer.id, scopes: ['ai:read'] });
      await operator.tokens.deactivate(ACTOR, id);
      expect((await use(other.token)).status).toBe(200);
    });

    /** Closes the listening connection; with a time limit PostgreSQL waits for its end. */
    const cut = () =>
      api.superuser.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and application_name = 'service_token_changes'`,
      );

    it('are refused on the next call although the connection that announces it was cut just before', async () => {
      for (let round = 0; round < 10; round++) {
        const { token, id } = await arrange();
        await trusted();
        await warm(token);
        await cut();
        await operator.tokens.deactivate(ACTOR, id);
        await expectProblem(await use(token), 401, 'unauthorized');
      }
      await trusted();
    });

    it('are refused after the listening connection was cut and is back, although the announcement was lost', async () => {
      const { token, id } = await arrange();
      await warm(token);
      await cut();
      // Without an announcement, as if it had been lost with the connection.
      await api.superuser.query('update service_token set active = false where id = $1', [id]);
      await until(() => !listener().trusted);
      await trusted();
      await expectProblem(await use(token), 401, 'unauthorized');
    });
  });

  describe('last use', () => {
    const lastUse = (id: string) =>
      one<{ last_used_at: Date }>('select last_used_at from service_token_use where token_id = $1', [id]);

    it('is written down within a second or so, of all valid calls in one statement', async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, arrange));
      const startedAt = Date.now();
      const asked = await queriesDuring(async () => {
        for (let time = 0; time < 3; time++) await Promise.all(tokens.map(({ token }) => use(token)));
        for (const { id } of tokens)
          await until(async () => ((await lastUse(id))?.last_used_at.getTime() ?? 0) >= startedAt);
      });
      expect(asked.filter((text) => text.includes('app.record_token_use')).length).toBeLessThanOrEqual(4);
    });

    it('moves with every valid call, and shows in the list of tokens', async () => {
      const { token, id, customer } = await arrange();
      await use(token);
      await until(async () => (await lastUse(id)) !== undefined);
      const first = (await lastUse(id))?.last_used_at ?? new Date(0);
      await use(token);
      await until(async () => ((await lastUse(id))?.last_used_at ?? first) > first);
      const listed = (await operator.tokens.list(customer.id)).find((summary) => summary.id === id);
      expect(listed?.lastUsedAt?.getTime()).toBeGreaterThan(first.getTime());
      expect(JSON.stringify(listed)).not.toMatch(/hash|cas_live/);
    });

    it('is not moved by a call that is refused', async () => {
      const { token, id } = await arrange();
      await operator.tokens.deactivate(ACTOR, id);
      await expectProblem(await use(token), 401, 'unauthorized');
      const { token: marker, id: markerId } = await arrange();
      await use(marker);
      await until(async () => (await lastUse(markerId)) !== undefined);
      expect(await lastUse(id)).toBeUndefined();
    });

    it('of one token is written though the database refuses that of another', async () => {
      const [gone, kept] = [await arrange(), await arrange()];
      await Promise.all([use(gone.token), use(kept.token)]);
      await api.superuser.query('delete from service_token_use where token_id = $1', [gone.id]);
      await api.superuser.query('delete from service_token where id = $1', [gone.id]);
      await until(async () => {
        await use(kept.token);
        return (await lastUse(kept.id)) !== undefined;
      });
    });

    it('is written on shutdown, before the connections close', async () => {
      const other = await startApi({}, api.database);
      // The other application uses the same database: only the process is stopped.
      const { token, id } = await arrange();
      const startedAt = Date.now();
      expect((await caller(other.baseUrl, token)('/customer')).status).toBe(200);
      await other.app.close();
      await other.superuser.end();
      expect((await lastUse(id))?.last_used_at.getTime()).toBeGreaterThanOrEqual(startedAt);
    });

    it('is written once the database is back, without another call, and not over a later one', async () => {
      const proxy = await startTcpProxy(Number(new URL(api.database.url).port));
      const url = api.database.url.replace(/:\d+\//, `:${proxy.port}/`);
      const other = await startApi(
        {},
        { ...api.database, url, config: Object.assign(new AppConfig(), api.database.config, { DATABASE_URL: url }) },
      );
      try {
        const [{ token, id }, busy] = [await arrange(), await arrange()];
        const startedAt = Date.now();
        for (const one of [token, busy.token]) expect((await caller(other.baseUrl, one)('/customer')).status).toBe(200);
        proxy.down();
        // The write a second later fails.
        const failed = jest.spyOn(other.app.get(PipelinedConnectionsService), 'single');
        await until(() => failed.mock.calls.some(([{ name }]) => name === 'tokens.record-use'));
        expect(await lastUse(id)).toBeUndefined();
        await use(busy.token);
        await until(async () => (await lastUse(busy.id)) !== undefined);
        const later = (await lastUse(busy.id))?.last_used_at;
        proxy.up();
        await until(async () => ((await lastUse(id))?.last_used_at.getTime() ?? 0) >= startedAt);
        expect((await lastUse(busy.id))?.last_used_at).toEqual(later);
      } finally {
        await other.app.close();
        await proxy.close();
      }
    });
  });
});
