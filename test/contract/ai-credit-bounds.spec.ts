import { AiConfigurationOperatorService, AiCreditOperatorService, AiMaintenanceService } from '@domains/ai';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, balancesOf, createAiFixture, problemsOf } from '@test/ai.fixture';

const OPERATOR = 'operator:test';
const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

/** Bounds of the credit that matter only if something else happens at the same time. */
describe('AI credit', () => {
  let fixture: AiFixture;
  let model: string;
  beforeAll(async () => {
    fixture = await createAiFixture({ AI_UPSTREAM_TIMEOUT_MS: '10000', AI_RESERVATION_MARGIN_MS: '200' });
    model = await saveModelPrice(fixture.superuser);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.sandbox.reset());

  it.each(['purchased', 'included'])('that is reserved for a call cannot be deducted meanwhile: %s', async (bucket) => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, [bucket]: 2 });
    const gate = fixture.sandbox.messages.hold();
    const call = fixture.send(customerId, hello);
    await fixture.sandbox.messages.received(1);
    const { reserved } = await balancesOf(fixture.superuser, customerId);
    expect(reserved).toBeGreaterThan(0);
    const take = (amountNok: string) =>
      fixture.operator
        .get(AiCreditOperatorService)
        .adjust(OPERATOR, { customerId, kind: 'manual_adjustment', amountNok, note: 'typo' } as never);
    await expect(take('-2')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(take((reserved - 2 - 0.000001).toFixed(6))).rejects.toMatchObject({ code: 'invalid_request' });
    await take((reserved - 2).toFixed(6));
    gate.open();
    expect(await call).toMatchObject({ type: 'message' });
    const after = await balancesOf(fixture.superuser, customerId);
    expect(after.reserved).toBe(0);
    expect(after.purchased + after.included).toBeCloseTo(reserved - after.usage, 9);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });

  it('of a call in progress is not released by the worker, however long the call takes', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 5 });
    const gate = fixture.sandbox.messages.hold();
    const call = fixture.send(customerId, hello);
    await fixture.sandbox.messages.received(1);
    // Beyond the margin that a deadline has, within the time that a call may take.
    await fixture.superuser.query('select pg_sleep(0.6)');
    expect(await fixture.operator.get(AiMaintenanceService).resolveAbandoned()).toBe(0);
    expect((await balancesOf(fixture.superuser, customerId)).reserved).toBeGreaterThan(0);
    gate.open();
    expect(await call).toMatchObject({ type: 'message' });
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ reserved: 0 });
    const { rows } = await fixture.superuser.query('select count(*)::int from ai_usage where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it("is limited anew by the operator's monthly limit in each month", async () => {
    const month = (name: string) => fixture.setTime(`${name}-10T12:00:00Z`);
    await month('2031-03');
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 50, month: '2031-03' });
    await fixture.operator
      .get(AiConfigurationOperatorService)
      .configure(OPERATOR, customerId, { monthlyLimitNok: '1' });
    fixture.sandbox.messages.always({ usage: '{"input_tokens":10,"output_tokens":10}' });
    /** Sends until the credit is used up. @returns the charged amount */
    const exhaust = async () => {
      for (let calls = 0; ; calls++) {
        const refused = await fixture.send(customerId, hello).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refused === undefined) continue;
        expect(refused).toMatchObject({ code: 'credit_exhausted' });
        return (await balancesOf(fixture.superuser, customerId)).usage;
      }
    };
    const first = await exhaust();
    expect(first).toBeGreaterThan(0.7);
    expect(first).toBeLessThanOrEqual(1);
    await month('2031-04');
    const second = await exhaust();
    expect(second).toBe(first);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ month: '2031-04', reserved: 0 });
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });
});
