import { randomUUID } from 'node:crypto';
import { ServiceError } from '@platform/errors';
import {
  ServiceChangesOperatorModule,
  ServiceChangesOperatorService,
  ServicesOperatorModule,
  ServicesOperatorService,
} from '@domains/services';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, balancesOf, createAiFixture, problemsOf } from '@test/ai.fixture';
import {
  AiConfigurationOperatorService,
  AiCreditOperatorService,
  AiUsageOperatorService,
  AiMaintenanceService,
  AiOperatorModule,
  AiPricesOperatorService,
} from '../index';

const ACTOR = 'operator:test';

const PAGE = { limit: 500 };

describe("The operator's AI services", () => {
  let fixture: AiFixture;
  let model: string;

  beforeAll(async () => {
    fixture = await createAiFixture({ AI_UPSTREAM_TIMEOUT_MS: '60000', AI_RESERVATION_MARGIN_MS: '1000' }, 2, {
      operator: [ServicesOperatorModule, ServiceChangesOperatorModule.with(AiOperatorModule)],
    });
    model = await saveModelPrice(fixture.superuser);
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    await fixture.setTime('2026-11-15T12:00:00Z');
  });

  const plainCustomer = async () => {
    const id = randomUUID();
    await fixture.superuser.query(
      `insert into customer (id, name, organization_number, customer_number, email) values ($1, 'Name', '123456785', $2, 'a@example.com')`,
      [id, id],
    );
    return id;
  };
  const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };
  const entries = async (customerId: string) =>
    (await fixture.operator.get(AiUsageOperatorService).ledger(customerId, {}, PAGE)).rows
      .map(({ kind, amount, month }) => [kind, Number(amount), month])
      .reverse();
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
    );

  it('configure a customer so that a message can be sent, with its own provider key that is never shown', async () => {
    const customerId = await plainCustomer();
    const view = await fixture.operator.get(AiConfigurationOperatorService).configure(ACTOR, customerId, {
      enabled: true,
      model,
      includedNok: '500',
      monthlyLimitNok: '400',
      apiKey: 'sk-of-the-customer',
    });
    expect(view).toMatchObject({
      enabled: true,
      model,
      ownKey: true,
      monthlyIncludedNok: '500.000000000000',
      month: '2026-11',
    });
    expect(await fixture.send(customerId, hello)).toMatchObject({ type: 'message' });
    expect(fixture.sandbox.messages.requests[0]!.headers).toMatchObject({ 'x-api-key': 'sk-of-the-customer' });
    const { rows } = await fixture.superuser.query(
      `select (select json_agg(l) from audit_log l where customer_id = $1)::text || (select s from ai_settings s where customer_id = $1)::text as all`,
      [customerId],
    );
    expect(rows[0].all).toContain('ai.configure');
    expect(rows[0].all).not.toContain('sk-of-the-customer');
    expect(rows[0].all).not.toContain(Buffer.from('sk-of-the-customer').toString('hex'));
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('use a changed key from the next call on', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10 });
    const configuration = fixture.operator.get(AiConfigurationOperatorService);
    for (const apiKey of ['sk-first', 'sk-second', null]) {
      await configuration.configure(ACTOR, customerId, { apiKey });
      await fixture.send(customerId, hello);
    }
    expect(fixture.sandbox.messages.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'sk-first',
      'sk-second',
      'service-wide-key',
    ]);
  });

  it('grant an increase at once and a decrease from next month', async () => {
    const customerId = await plainCustomer();
    const configure = (includedNok: string) =>
      fixture.operator.get(AiConfigurationOperatorService).configure(ACTOR, customerId, { includedNok });
    await fixture.operator
      .get(AiConfigurationOperatorService)
      .configure(ACTOR, customerId, { enabled: true, includedNok: '100' });
    await configure('150');
    await configure('150');
    await configure('30');
    expect(await entries(customerId)).toEqual([
      ['monthly_included', 100, '2026-11'],
      ['monthly_included', 50, '2026-11'],
    ]);
    await fixture.setTime('2026-12-05T12:00:00Z');
    await fixture.operator.get(AiMaintenanceService).rollMonthsOver();
    expect((await entries(customerId)).slice(2)).toEqual([
      ['expiry', -150, '2026-11'],
      ['monthly_included', 30, '2026-12'],
    ]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it.each(['ai configure', 'service update'])(
    'lower the included credit from the next month on, also before the account has begun the present one: %s',
    async (command) => {
      const customerId = await plainCustomer();
      const configuration = fixture.operator.get(AiConfigurationOperatorService);
      await configuration.configure(ACTOR, customerId, { enabled: true, includedNok: '100' });
      await fixture.setTime('2026-12-05T12:00:00Z');
      const services = fixture.operator.get(ServicesOperatorService);
      const [service] = await services.list(customerId);
      if (command === 'ai configure') await configuration.configure(ACTOR, customerId, { includedNok: '30' });
      else
        await fixture.operator
          .get(ServiceChangesOperatorService)
          .update(ACTOR, service!.id, { config: { monthly_included_nok: 30 } });
      await fixture.setTime('2027-01-05T12:00:00Z');
      await fixture.operator.get(AiMaintenanceService).rollMonthsOver();
      expect(await entries(customerId)).toEqual([
        ['monthly_included', 100, '2026-11'],
        ['expiry', -100, '2026-11'],
        ['monthly_included', 100, '2026-12'],
        ['expiry', -100, '2026-12'],
        ['monthly_included', 30, '2027-01'],
      ]);
      expect(await problemsOf(fixture, customerId)).toEqual([]);
    },
  );

  it('store the included credit in the ai service, with each command that changes it', async () => {
    const customerId = await plainCustomer();
    const configuration = fixture.operator.get(AiConfigurationOperatorService);
    await configuration.configure(ACTOR, customerId, { enabled: true, includedNok: '100' });
    const services = fixture.operator.get(ServicesOperatorService);
    const [service] = await services.list(customerId);
    expect(service).toMatchObject({ type: 'ai', config: { monthly_included_nok: 100 } });
    const update = (monthly_included_nok: unknown) =>
      fixture.operator
        .get(ServiceChangesOperatorService)
        .update(ACTOR, service!.id, { config: { monthly_included_nok } });
    const shown = async () => {
      const { includedThisMonthNok, includedFromNextMonthNok } = await configuration.show(customerId);
      return [Number(includedThisMonthNok), Number(includedFromNextMonthNok)];
    };
    await update(150);
    expect(await entries(customerId)).toEqual([
      ['monthly_included', 100, '2026-11'],
      ['monthly_included', 50, '2026-11'],
    ]);
    expect(await shown()).toEqual([150, 150]);
    await update(20);
    expect(await shown()).toEqual([150, 20]);
    await configuration.configure(ACTOR, customerId, { enabled: false });
    expect(await shown()).toEqual([150, 0]);
    await configuration.configure(ACTOR, customerId, { enabled: true });
    await fixture.setTime('2026-12-05T12:00:00Z');
    expect(await shown()).toEqual([20, 20]);
    for (const wrong of ['lots', -1, 1e12]) expect(await codeOf(update(wrong))).toBe('invalid_request');
    expect(await shown()).toEqual([20, 20]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('grant what the active ai services include: nothing of one that is suspended until it is active again', async () => {
    const customerId = await plainCustomer();
    const configuration = fixture.operator.get(AiConfigurationOperatorService);
    await configuration.configure(ACTOR, customerId, { enabled: true, includedNok: '100' });
    await fixture.superuser.query(
      `insert into customer_service (customer_id, type, name, status, config)
       values ($1, 'hosting', 'Web', 'active', '{"monthly_included_nok": 7}')`,
      [customerId],
    );
    const service = (await fixture.operator.get(ServicesOperatorService).list(customerId)).find(
      ({ type }) => type === 'ai',
    );
    const change = (status: 'suspended' | 'active') =>
      fixture.operator.get(ServiceChangesOperatorService).update(ACTOR, service!.id, { status });
    const shown = async () => {
      const { includedThisMonthNok, includedFromNextMonthNok } = await configuration.show(customerId);
      return [Number(includedThisMonthNok), Number(includedFromNextMonthNok)];
    };
    await change('suspended');
    expect(await shown()).toEqual([100, 0]);
    await fixture.setTime('2026-12-05T12:00:00Z');
    expect(await shown()).toEqual([0, 0]);
    await fixture.operator.get(AiMaintenanceService).rollMonthsOver();
    expect(await shown()).toEqual([0, 0]);
    await change('active');
    expect(await shown()).toEqual([100, 100]);
    expect(await entries(customerId)).toEqual([
      ['monthly_included', 100, '2026-11'],
      ['expiry', -100, '2026-11'],
      ['monthly_included', 100, '2026-12'],
    ]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('refuse a model without a price, and an unknown customer', async () => {
    const configuration = fixture.operator.get(AiConfigurationOperatorService);
    expect(await codeOf(configuration.configure(ACTOR, await plainCustomer(), { model: 'unpriced' }))).toBe(
      'invalid_request',
    );
    expect(await codeOf(configuration.configure(ACTOR, randomUUID(), { enabled: true }))).toBe('not_found');
  });

  it('roll every month over once, however many workers and calls do it at a time', async () => {
    const customers: string[] = [];
    for (let count = 0; count < 30; count++)
      customers.push(await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-11' }));
    await fixture.setTime('2026-12-01T00:00:01+01:00');
    const maintenance = fixture.operator.get(AiMaintenanceService);
    await Promise.all([
      maintenance.rollMonthsOver(),
      maintenance.rollMonthsOver(),
      maintenance.rollMonthsOver(),
      ...customers.map((customerId, index) => fixture.send(customerId, hello, index)),
    ]);
    for (const customerId of customers) {
      expect((await entries(customerId)).filter(([kind]) => kind !== 'usage')).toEqual([
        ['monthly_included', 10, '2026-11'],
        ['expiry', expect.any(Number), '2026-11'],
        ['monthly_included', 10, '2026-12'],
      ]);
    }
    expect(await problemsOf(fixture)).toEqual([]);
  });

  it('catch up in one step when accounts missed several months', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-07' });
    await fixture.send(customerId, hello);
    expect((await entries(customerId)).slice(0, 3)).toEqual([
      ['monthly_included', 10, '2026-07'],
      ['expiry', -10, '2026-07'],
      ['monthly_included', 10, '2026-11'],
    ]);
  });

  it('grant nothing to a customer whose AI is turned off', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, {
      model,
      included: 10,
      month: '2026-10',
      enabled: false,
    });
    await fixture.operator.get(AiMaintenanceService).rollMonthsOver();
    expect(await entries(customerId)).toEqual([]);
  });

  it('skip an included credit that is not a number', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-10', purchased: 5 });
    await fixture.superuser.query(
      `update customer_service set config = '{"monthly_included_nok":"lots"}' where customer_id = $1`,
      [customerId],
    );
    expect(await fixture.send(customerId, hello)).toMatchObject({ type: 'message' });
  });

  it('end a call whose deadline has passed with an unknown outcome, and list it; a late answer is charged and returned', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-11' });
    const gate = fixture.sandbox.messages.hold();
    const call = codeOf(fixture.send(customerId, hello));
    await fixture.sandbox.messages.received(1);
    const maintenance = fixture.operator.get(AiMaintenanceService);
    expect(await maintenance.resolveAbandoned()).toBe(0);
    await fixture.setTime('2026-11-15T12:02:00Z');
    expect(await Promise.all([maintenance.resolveAbandoned(), maintenance.resolveAbandoned()])).toContain(1);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 10, reserved: 0 });
    expect((await fixture.operator.get(AiUsageOperatorService).unknownOutcomes(customerId, PAGE)).rows).toMatchObject([
      { state: 'outcome_unknown' },
    ]);
    gate.open();
    expect(await call).toBe('done');
    const [usage] = (await fixture.operator.get(AiUsageOperatorService).usage(customerId, {}, PAGE)).rows;
    const cost = Number(usage!.charged);
    expect(cost).toBeGreaterThan(0);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({
      included: 10 - cost,
      reserved: 0,
      usage: cost,
    });
    expect((await fixture.operator.get(AiUsageOperatorService).unknownOutcomes(customerId, PAGE)).rows).toEqual([]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('end only the call whose deadline has passed, not later ones of the same customer', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-11' });
    const gate = fixture.sandbox.messages.hold();
    const first = fixture.send(customerId, hello);
    await fixture.sandbox.messages.received(1);
    const { reserved } = await balancesOf(fixture.superuser, customerId);
    await fixture.setTime('2026-11-15T12:00:50Z');
    const second = fixture.send(customerId, hello);
    await fixture.sandbox.messages.received(2);
    await fixture.setTime('2026-11-15T12:01:30Z');
    expect(await fixture.operator.get(AiMaintenanceService).resolveAbandoned()).toBe(1);
    expect((await balancesOf(fixture.superuser, customerId)).reserved).toBe(reserved);
    gate.open();
    await Promise.all([first, second]);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ reserved: 0 });
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('delete reservations that ended long ago, and none in progress', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-11' });
    const states = async () => {
      const { rows } = await fixture.superuser.query<{ state: string }>(
        'select state from ai_reservation where customer_id = $1 order by state',
        [customerId],
      );
      return rows.map(({ state }) => state);
    };
    fixture.sandbox.messages.script({ status: 500 });
    await codeOf(fixture.send(customerId, hello));
    fixture.sandbox.reset();
    const gate = fixture.sandbox.messages.hold();
    const call = codeOf(fixture.send(customerId, hello));
    await fixture.sandbox.messages.received(1);
    const maintenance = fixture.operator.get(AiMaintenanceService);
    await maintenance.purgeEnded(1);
    expect(await states()).toEqual(['pending', 'released']);
    const released = '2026-11-13T12:00:00Z';
    await fixture.superuser.query(
      'update ai_reservation set resolved_at = $2, created_at = $2 where customer_id = $1',
      [customerId, released],
    );
    expect(await maintenance.purgeEnded(1)).toBeGreaterThanOrEqual(1);
    expect(await states()).toEqual(['pending']);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
    gate.open();
    expect(await call).toBe('done');
    expect(await states()).toEqual([]);
  });

  it('add adjustments and refunds, and deduct no more than the free credit', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10, month: '2026-11' });
    const adjust = (kind: 'manual_adjustment' | 'refund', amountNok: string) =>
      fixture.operator.get(AiCreditOperatorService).adjust(ACTOR, { customerId, kind, amountNok, note: 'why' });
    await adjust('refund', '2.5');
    expect(await adjust('manual_adjustment', '-5')).toMatchObject([
      { bucket: 'purchased', amount: '-2.500000000000', note: 'why', actor: ACTOR },
      { bucket: 'included', amount: '-2.500000000000' },
    ]);
    expect(await codeOf(adjust('manual_adjustment', '-7.51'))).toBe('invalid_request');
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 7.5, purchased: 0 });
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('deduct nothing while calls in progress have reserved more than a lowered limit leaves to be spent', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, {
      model,
      included: 100,
      purchased: 5,
      month: '2026-11',
    });
    await fixture.superuser.query(
      `insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
         month, included_limit, request_id, created_at)
       select $1, app.new_id(), 5.5, m.model, m.valid_from, 1, 1, app.now() + interval '1 hour', '2026-11', 100, 'r', app.now()
       from ai_model_price m where m.model = $2`,
      [customerId, model],
    );
    await fixture.superuser.query(`update ai_account set reserved = 5.5 where customer_id = $1`, [customerId]);
    await fixture.superuser.query(`update ai_settings set monthly_limit = 0 where customer_id = $1`, [customerId]);
    const adjust = fixture.operator.get(AiCreditOperatorService).adjust(ACTOR, {
      ...{ customerId, kind: 'manual_adjustment', amountNok: '-1', note: 'why' },
    });
    expect(await codeOf(adjust)).toBe('invalid_request');
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 100, purchased: 5 });
  });

  it('charge a call by the price that was valid when it began', async () => {
    const priced = `model-${randomUUID()}`;
    const prices = fixture.operator.get(AiPricesOperatorService);
    await prices.set(ACTOR, { model: priced, input: '1000', output: '1000' });
    await prices.set(ACTOR, { model: priced, input: '9000', output: '9000', from: '2026-11-16' });
    expect(await codeOf(prices.set(ACTOR, { model: priced, input: '1', output: '1', from: '2026-11-16' }))).toBe(
      'invalid_request',
    );
    const inForce = async () =>
      (await prices.list()).filter(({ model, inForce: is }) => model === priced && is).map(({ input }) => input);
    expect(await inForce()).toEqual(['1000.000000']);
    const customerId = await saveAiCustomer(fixture.superuser, { model: priced, included: 100, month: '2026-11' });
    const gate = fixture.sandbox.messages.hold();
    fixture.sandbox.messages.always({ usage: '{"input_tokens":1,"output_tokens":1}' });
    const early = fixture.send(customerId, hello);
    await fixture.sandbox.messages.received(1);
    await fixture.setTime('2026-11-15T23:00:00Z');
    expect(await inForce()).toEqual(['9000.000000']);
    gate.open();
    await early;
    await fixture.send(customerId, hello);
    const { rows } = await fixture.operator.get(AiUsageOperatorService).usage(customerId, {}, PAGE);
    expect(rows.map(({ charged }) => Number(charged)).sort()).toEqual([0.002, 0.018]);
  });

  it('refuse a price of the past that another one has replaced since: no call would have it', async () => {
    const priced = `model-${randomUUID()}`;
    const set = (from?: string) =>
      codeOf(
        fixture.operator.get(AiPricesOperatorService).set(ACTOR, { model: priced, input: '1', output: '1', from }),
      );
    for (const from of ['2026-11-01', '2026-11-10', '2026-11-20']) expect(await set(from)).toBe('done');
    expect(await set('2026-11-05')).toBe('invalid_request');
    expect(await set('2026-10-01')).toBe('invalid_request');
    expect(await set('2026-11-12')).toBe('done');
    expect(await set('2026-11-18')).toBe('done');
    expect(await set()).toBe('done');
  });

  it('take a price back until a minute before it begins', async () => {
    const prices = fixture.operator.get(AiPricesOperatorService);
    const priced = `model-${randomUUID()}`;
    for (const from of ['2026-11-16', '2026-11-17'])
      await prices.set(ACTOR, { model: priced, input: '10', output: '50', from });
    await fixture.setTime('2026-11-15T22:59:10Z');
    expect(await codeOf(prices.withdraw(ACTOR, priced, '2026-11-16'))).toBe('invalid_request');
    await fixture.setTime('2026-11-16T22:58:50Z');
    expect(await codeOf(prices.withdraw(ACTOR, priced, '2026-11-17'))).toBe('done');
  });

  it('derive cache rates from the input rate, and convert example prices', async () => {
    const prices = fixture.operator.get(AiPricesOperatorService);
    const rates = { cacheWrite5m: '12.500000', cacheWrite1h: '20.000000', cacheRead: '1.000000' };
    expect(await prices.set(ACTOR, { model: `model-${randomUUID()}`, input: '10', output: '50' })).toMatchObject(rates);
    expect((await prices.addExamples()).length).toBeGreaterThan(1);
    expect(await prices.addExamples()).toEqual([]);
    const haiku = (await prices.list()).find(({ model: name }) => name === 'claude-haiku-4-5');
    expect(haiku).toMatchObject({ example: true, input: '10.000000', output: '50.000000', ...rates });
  });
});
