import { PipelinedConnectionsService } from '@platform/database';
import { TimeShares } from '@platform/fairness';
import { TokenChangeListenerService } from '@platform/tokens';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { operatorCommand } from '@test/operator-command';
import { createOperatorFixture, type OperatorFixture } from '@test/operator.fixture';
import { until } from '@test/until';
import { queriesDuring } from '@test/watch-queries';

const ACTOR = 'operator:test';

/** The token cache of a replica, and when it must not be used. */
describe('remembered tokens', () => {
  let api: TestApi;
  let operator: OperatorFixture;
  beforeAll(async () => {
    api = await startApi({ RATE_LIMIT_REQUESTS_PER_MINUTE: '100000', RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' });
    operator = await createOperatorFixture(api.database);
    await until(() => listener().trusted);
  });
  afterAll(async () => {
    await operator.close();
    await api.stop();
  });
  afterEach(() => jest.restoreAllMocks());

  const listener = () => api.app.get(TokenChangeListenerService);
  /** Makes every announcement of a change certain to arrive, however busy the machine is. */
  const receiveChanges = () => jest.spyOn(listener(), 'trusted', 'get').mockReturnValue(true);
  const lookUps = async (work: () => Promise<unknown>) =>
    (await queriesDuring(work)).filter((text) => text.includes('app.authenticate')).length;

  /** Delays the result of the next look-up, so that changes can happen after it was read. */
  function holdNextLookUp(): { asked: Promise<void>; answer: () => void } {
    const pipeline = api.app.get(PipelinedConnectionsService);
    const single = pipeline.single.bind(pipeline) as (...args: unknown[]) => Promise<unknown>;
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const spy = jest.spyOn(pipeline, 'single').mockImplementation((async (...args: unknown[]) => {
      const rows = await single(...args);
      if ((args[0] as { name: string }).name !== 'tokens.authenticate') return rows;
      spy.mockRestore();
      asked.resolve();
      await answered.promise;
      return rows;
    }) as never);
    return { asked: asked.promise, answer: answered.resolve };
  }

  /** Resolves when this replica has received the customer's change. */
  function heard(customerId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const changes = listener();
    const onChange = changes.onChange;
    changes.onChange = (changed) => {
      onChange(changed);
      if (changed !== customerId) return;
      changes.onChange = onChange;
      resolve();
    };
    return promise;
  }

  /** Moves the process's clock. */
  function movableClock(): (ms: number) => void {
    let ahead = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    return (ms) => (ahead = ms);
  }

  it('are cached for a minute: then an unannounced change takes effect', async () => {
    const moveTo = movableClock();
    receiveChanges();
    const { token, call } = await createCaller(api);
    expect((await call('/customer')).status).toBe(200);
    await api.superuser.query('update service_token set active = false where id = $1', [token.id]);
    moveTo(55_000);
    expect((await call('/customer')).status).toBe(200);
    moveTo(60_001);
    await expectProblem(await call('/customer'), 401, 'unauthorized');
  });

  it('are not made of an answer that is older than a change', async () => {
    receiveChanges();
    const { customer, token, call } = await createCaller(api);
    const { asked, answer } = holdNextLookUp();
    const before = call('/customer');
    await asked;
    const change = heard(customer.id);
    await operator.tokens.deactivate(ACTOR, token.id);
    await change;
    answer();
    // It was requested before the change.
    expect((await before).status).toBe(200);
    await expectProblem(await call('/customer'), 401, 'unauthorized');
  });

  it('do not let a call after a change share an answer from before it', async () => {
    receiveChanges();
    const { customer, token, call } = await createCaller(api);
    const { asked, answer } = holdNextLookUp();
    const before = call('/customer');
    await asked;
    const change = heard(customer.id);
    await operator.tokens.deactivate(ACTOR, token.id);
    await change;
    await expectProblem(await call('/customer'), 401, 'unauthorized');
    answer();
    expect((await before).status).toBe(200);
  });

  it('are not used, nor answers shared, while a change might go unheard', async () => {
    const { customer, call } = await createCaller(api);
    jest.spyOn(listener(), 'trusted', 'get').mockReturnValue(false);
    expect((await call('/customer')).status).toBe(200);
    const { asked, answer } = holdNextLookUp();
    const first = call('/customer');
    await asked;
    // A change without an announcement.
    await api.superuser.query('update customer set active = false where id = $1', [customer.id]);
    await expectProblem(await call('/customer'), 401, 'unauthorized');
    answer();
    expect((await first).status).toBe(200);
  });

  it("know of the customer's AI as soon as the operator has switched it on", async () => {
    receiveChanges();
    const { customer, call } = await createCaller(api);
    const send = () =>
      call('/ai/messages', {
        method: 'POST',
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }),
        headers: { 'content-type': 'application/json' },
      });
    await expectProblem(await send(), 403, 'ai_disabled');
    const change = heard(customer.id);
    const enable = ['ai', 'configure', '--customer', customer.id, '--enabled', 'true'];
    expect((await operatorCommand(api.database, enable)).code).toBe(0);
    await change;
    await expectProblem(await send(), 403, 'ai_not_configured');
  });

  it('of other customers stay when one changes', async () => {
    receiveChanges();
    const [changing, other] = [await createCaller(api), await createCaller(api)];
    await other.call('/customer');
    const change = heard(changing.customer.id);
    await operator.customers.setLimits(ACTOR, changing.customer.id, { requestsPerMinute: 7 });
    await change;
    expect(await lookUps(() => other.call('/customer'))).toBe(0);
  });

  it('are forgotten one by one: a second token of the customer is known by its own scopes', async () => {
    receiveChanges();
    const { customer, call } = await createCaller(api);
    const { token } = await saveFakeToken(api.superuser, customer.id, { scopes: ['sms:read'] });
    expect((await call('/status')).status).toBe(200);
    const poor = () => fetch(`${api.baseUrl}/status`, { headers: { authorization: `Bearer ${token}` } });
    await expectProblem(await poor(), 403, 'insufficient_scope');
    await expectProblem(await poor(), 403, 'insufficient_scope');
  });

  describe('in an overload', () => {
    /** Whose requests the next ones seem to be, before they are authenticated: undefined for an address. */
    function admissions(): (string | undefined)[] {
      const shares = api.app.get(TimeShares);
      const customers: (string | undefined)[] = [];
      jest.spyOn(shares, 'isHolding', 'get').mockReturnValue(true);
      jest.spyOn(shares, 'admit').mockImplementation((party, isCertain) => {
        customers.push(isCertain ? party : undefined);
        return 'granted';
      });
      return customers;
    }

    it("make requests their customer's until they expire: who found an old one takes nothing from it", async () => {
      const moveTo = movableClock();
      receiveChanges();
      const { customer, call } = await createCaller(api, { expiresAt: new Date(Date.now() + 30_000) });
      const customers = admissions();
      expect((await call('/customer')).status).toBe(200);
      expect((await call('/customer')).status).toBe(200);
      moveTo(31_000);
      await expectProblem(await call('/customer'), 401, 'unauthorized');
      await expectProblem(await call('/customer'), 401, 'unauthorized');
      expect(customers).toEqual([undefined, customer.id, undefined, undefined]);
    });

    it("make no requests their customer's once they were refused", async () => {
      const moveTo = movableClock();
      receiveChanges();
      const { customer, token, call } = await createCaller(api);
      expect((await call('/customer')).status).toBe(200);
      await api.superuser.query('update service_token set active = false where id = $1', [token.id]);
      moveTo(60_001);
      const customers = admissions();
      await expectProblem(await call('/customer'), 401, 'unauthorized');
      await expectProblem(await call('/customer'), 401, 'unauthorized');
      expect(customers).toEqual([customer.id, undefined]);
    });
  });

  describe('rotated after they expired', () => {
    it('have no successor, which would live on a right that has ended', async () => {
      const { customer, token } = await createCaller(api, { expiresAt: new Date(Date.now() - 1000) });
      await expect(operator.tokens.rotate(ACTOR, token.id, 24)).rejects.toThrow('no longer valid');
      const { rows } = await api.superuser.query(
        'select id, expires_at < now() as over from service_token where customer_id = $1',
        [customer.id],
      );
      expect(rows).toEqual([{ id: token.id, over: true }]);
    });
  });
});
