import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';

describe("A customer's SMS", () => {
  let fixture: SmsFixture;
  beforeAll(async () => (fixture = await createSmsFixture({ SMS_DAILY_PARTS_CAP: '10' })));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.sandbox.reset());

  const allow = (customer: string, settings: { countries?: string[] | null; daily_parts_cap?: number }) =>
    fixture.superuser.query('update sms_settings set countries = $2, daily_parts_cap = $3 where customer_id = $1', [
      customer,
      settings.countries ?? null,
      settings.daily_parts_cap ?? null,
    ]);
  const refusal = (customer: string, to: string) => fixture.send(customer, { to }).catch((error: unknown) => error);
  const counted = async (customer: string) =>
    (await fixture.superuser.query('select messages, parts from sms_daily_count where customer_id = $1', [customer]))
      .rows;

  it.each(['+4790000000', '+46700000000', '+12685550123', '+47580012345678', '+80012345678'])(
    'goes by default to any country: %s',
    async (to) => expect(await fixture.send(await fixture.customer(), { to })).toMatchObject({ recipient: to }),
  );

  it.each([
    ...['+4782012345', '+46939123456', '+979123456789', '+870773111632', '+881612345678', '+88216123456789'],
    ...['+447012345678', '+878101234567890'],
  ])('never goes to premium rate, satellite and personal numbers, not of allowed countries either: %s', async (to) => {
    const customer = await fixture.customer();
    for (const countries of [null, ['NO', 'SE', 'GB']]) {
      await allow(customer, { countries });
      expect(await refusal(customer, to)).toMatchObject({
        code: 'invalid_request',
        options: { errors: [{ pointer: '/to' }] },
      });
    }
    expect(await fixture.rows(customer)).toEqual([]);
    expect(fixture.sandbox.elks46.total).toBe(0);
  });

  it.each([
    ['NO,UK', 'UK is not a country code'],
    ['NO,AX', 'write FI'],
    ['SJ', 'write NO'],
  ])('is not offered where SMS_COUNTRIES names a country that no number is of: %s', async (countries, fault) => {
    await expect(createSmsFixture({ SMS_COUNTRIES: countries })).rejects.toThrow(fault);
  });

  it('goes to the countries that the operator named for the customer, and to no other', async () => {
    const customer = await fixture.customer();
    await allow(customer, { countries: ['NO', 'DK'] });
    for (const to of ['+4790000000', '+47580012345678', '+4521212121']) await fixture.send(customer, { to });
    for (const to of ['+46700000000', '+12025550123', '+80012345678']) {
      expect(await refusal(customer, to)).toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining('NO, DK'),
        options: { errors: [{ pointer: '/to' }] },
      });
    }
    expect(await fixture.rows(customer)).toHaveLength(3);
    expect(await counted(customer)).toEqual([{ messages: 3, parts: 3 }]);
    // Also if it is a single one.
    await allow(customer, { countries: ['DK'] });
    expect(await fixture.send(customer, { to: '+4521212121' })).toMatchObject({ recipient: '+4521212121' });
    expect(await refusal(customer, '+4790000000')).toMatchObject({ code: 'invalid_request' });
  });

  it('keeps to the cap in parts, exactly, however many calls come at once', async () => {
    const customer = await fixture.customer();
    // Two parts each.
    const message = 'a'.repeat(161);
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => fixture.send(customer, { message })));
    const refused = calls.filter((call) => call.status === 'rejected').map(({ reason }) => reason as object);
    expect(refused).toHaveLength(25);
    for (const error of refused) {
      expect(error).toMatchObject({
        code: 'rate_limited',
        detail: 'The daily cap is 10 SMS parts; this message has 2, and fewer are left',
        options: { retryAfterSeconds: expect.any(Number) },
      });
    }
    expect(await counted(customer)).toEqual([{ messages: 5, parts: 10 }]);
  });

  it("keeps to the customer's own cap in parts, and lets a shorter message through where a longer one is too long", async () => {
    const customer = await fixture.customer();
    await allow(customer, { daily_parts_cap: 3 });
    expect(await refusal(customer, '+4790000000')).toMatchObject({ segments: 1 });
    await expect(fixture.send(customer, { message: 'a'.repeat(400) })).rejects.toMatchObject({ code: 'rate_limited' });
    // On no day: it need not wait.
    await expect(fixture.send(customer, { message: 'a'.repeat(500) })).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'message is sent as 4 SMS parts; your daily cap is 3',
      options: { errors: [{ pointer: '/message' }] },
    });
    expect(await fixture.send(customer, { message: 'a'.repeat(300) })).toMatchObject({ segments: 2 });
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await counted(customer)).toEqual([{ messages: 2, parts: 3 }]);
  });

  it('takes the parts of a message that certainly was not sent off the count', async () => {
    const customer = await fixture.customer();
    fixture.sandbox.elks46.script({ status: 400 });
    await expect(fixture.send(customer, { message: 'a'.repeat(161) })).rejects.toMatchObject({
      code: 'sms_gateway_rejected',
    });
    expect(await counted(customer)).toEqual([{ messages: 0, parts: 0 }]);
  });
});

describe('The countries of the service', () => {
  it('hold for customers without their own, who may be allowed more', async () => {
    const fixture = await createSmsFixture({ SMS_COUNTRIES: 'no, se' });
    const [plain, more] = [await fixture.customer(), await fixture.customer()];
    await fixture.superuser.query(`update sms_settings set countries = '{}' where customer_id = $1`, [more]);
    expect(await fixture.send(plain, { to: '+46700000000' })).toMatchObject({ recipient: '+46700000000' });
    await expect(fixture.send(plain, { to: '+4521212121' })).rejects.toMatchObject({
      detail: expect.stringContaining('NO, SE'),
    });
    expect(await fixture.send(more, { to: '+4521212121' })).toMatchObject({ recipient: '+4521212121' });
    await fixture.close();
  });
});
