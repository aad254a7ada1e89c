import { randomUUID } from 'node:crypto';
import { AiVerificationOperatorService } from '@domains/ai';
import { CreditRequestsOperatorService, CreditRequestsOperatorModule } from '@domains/credit-requests';
import { billingMonth } from '@test/billing-days';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { type AiFixture, createAiFixture, problemsOf } from '@test/ai.fixture';
import { LEDGER_NAMES } from '@test/ledger.fixture';
import { LedgerFunctions } from '@test/ledger-functions';
import { queriesDuring } from '@test/watch-queries';

const BOOKED = 'credit request %s: the booked credit is not the approved credit';

/** Each case falsifies one row, as a faulty function or a manual change of the database would. */
describe('The verification of AI accounts', () => {
  let fixture: AiFixture;
  beforeAll(async () => (fixture = await createAiFixture({}, 0, { operator: [CreditRequestsOperatorModule] })));
  afterAll(() => fixture.close());

  /** A customer with included credit, and an approved credit request of 500 NOK. */
  async function arrange() {
    const { superuser } = fixture;
    const model = await saveModelPrice(superuser);
    const customerId = await saveAiCustomer(superuser, { model, included: 10 });
    const request = async () => {
      const { rows } = await superuser.query<{ id: number }>(
        'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 500, now()) returning id',
        [customerId],
      );
      return rows[0]!.id;
    };
    const id = await request();
    const { invoiceId } = await fixture.operator.get(CreditRequestsOperatorService).approve('operator:test', id);
    return { customerId, id, pending: await request(), booked: `500 NOK, invoice ${invoiceId}` };
  }

  it('finds no problems in correct accounts', async () => {
    const { customerId } = await arrange();
    expect(await problemsOf(fixture, customerId)).toEqual([]);
    expect(await problemsOf(fixture)).toEqual([]);
  });

  it('takes longer than a request may, and so do those of all accounts', async () => {
    const { superuser, operator, close } = await createAiFixture({ DATABASE_STATEMENT_TIMEOUT_MS: '1000' }, 0);
    const customerId = await saveAiCustomer(superuser, { model: await saveModelPrice(superuser), included: 10 });
    await superuser.query('update ai_account set purchased = purchased + 1 where customer_id = $1', [customerId]);
    const verification = operator.get(AiVerificationOperatorService);
    const found: string[] = [];
    for (const verify of [
      () => verification.verify(customerId),
      () => verification.runAll(new AbortController().signal, (problem) => found.push(problem.customerId)),
    ]) {
      await superuser.query('begin; lock table ai_ledger_entry in access exclusive mode');
      const verified = verify();
      verified.catch(() => undefined);
      await superuser.query('select pg_sleep(2)');
      await superuser.query('rollback');
      await verified;
    }
    expect(found).toContain(customerId);
    await close();
  });

  it('of all accounts is made for some customers after the others, and then for rows of no customer', async () => {
    const { superuser, operator } = fixture;
    const verification = operator.get(AiVerificationOperatorService);
    const model = await saveModelPrice(superuser);
    for (let count = 0; count < 30; count++) await saveAiCustomer(superuser, { model, included: 10 });
    const stranger = randomUUID();
    await saveFakeUsage(superuser, stranger, { createdAt: `${billingMonth()}-15T12:00:00Z` });
    const found = ['usages without an account'];
    const ofStranger = (problems: { customerId: string; problem: string }[]) =>
      problems.filter(({ customerId }) => customerId === stranger).map(({ problem }) => problem);
    const texts = await queriesDuring(async () =>
      expect(ofStranger(await verification.verify())).toEqual(expect.arrayContaining(found)),
    );
    const { rows } = await superuser.query<{ customers: number }>('select count(*)::int as customers from customer');
    expect(texts.filter((text) => text.includes('carried as'))).toHaveLength(Math.ceil(rows[0]!.customers / 20) + 1);
    const hourly: { customerId: string; problem: string }[] = [];
    await verification.runAll(new AbortController().signal, (problem) => hourly.push(problem));
    expect(ofStranger(hourly)).toEqual(expect.arrayContaining(found));
    for (const table of ['ai_usage', 'ai_usage_day'])
      await superuser.query(`delete from ${table} where customer_id = $1`, [stranger]);
  });

  const ofAccount = (change: string) => `update ai_account set ${change} where customer_id = $1`;
  const ofUsage = (change: string) => `update ai_usage set ${change} where customer_id = $1`;
  const ofUsageEntry = (change: string) =>
    `update ai_ledger_entry set ${change} where customer_id = $1 and kind = 'usage'`;
  const ofReservation = (change: string) => `update ai_reservation set ${change} where customer_id = $1`;
  const RESERVED = 'reserved credit is not the sum of the pending reservations';
  const OF_DAY = 'DAY, model MODEL, token ID: the sum of the day is not that of its calls';

  it.each([
    [ofAccount('purchased = purchased + 1'), ['purchased credit is not the sum of its ledger entries']],
    [ofAccount('month_usage = 0'), ['usage of the month is not the sum of its ledger entries']],
    [
      ofAccount('month_included_usage = 0'),
      ['usage of included credit in the month is not the sum of its ledger entries'],
    ],
    [
      ofAccount('carried_over = 0.1'),
      ['more included credit is carried over than calls of an earlier month have reserved'],
    ],
    [ofAccount('reserved = 0'), [RESERVED]],
    [ofAccount('ledger_sequence = ledger_sequence + 1'), ['the entry count is not the number of entries']],
    [ofUsageEntry('sequence = 9'), ['entry 9 is out of sequence']],
    [ofUsageEntry('balance_after = 0'), ['entry 3: the balance after it is not the sum so far']],
    [
      ofUsageEntry(`usage_id = '${randomUUID()}'`),
      ['call ID: its charge differs from its usage', 'call ID: its charge differs from its usage'],
    ],
    [ofUsage('cost = cost + 1'), [OF_DAY, 'call ID: its charge differs from its usage']],
    [ofUsage('cost = cost - 1, uncovered = uncovered - 1'), [OF_DAY, 'call ID: uncovered is no part of its cost']],
    [ofReservation(`state = 'settled_late'`), ['call ID: charged late, and yet not charged', RESERVED]],
    [ofReservation(`state = 'lost'`), ['call ID: no such state', RESERVED]],
  ])('reports what does not fit together after: %s', async (falsify, expected) => {
    const model = await saveModelPrice(fixture.superuser);
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 1, purchased: 1 });
    const ledger = new LedgerFunctions(fixture.superuser, [customerId], 3_600_000, LEDGER_NAMES[0]!);
    const call = { owner: 0, input: 0, cache: 'none', max: 20, least: 20, mayShorten: true } as const;
    const [charged, pending] = [
      { ...call, id: randomUUID() },
      { ...call, id: randomUUID() },
    ];
    await ledger.reserve([charged, pending]);
    const tokens = { input: 0, write5m: 0, write1h: 0, read: 0, output: 20 };
    await ledger.settle([{ owner: 0, id: charged.id, tokens }]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
    await fixture.superuser.query(falsify, [customerId]);
    const found = (await problemsOf(fixture, customerId)).map(({ problem }) =>
      problem
        .replace(model, 'MODEL')
        .replace(/^\d{4}-\d\d-\d\d/, 'DAY')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, 'ID'),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    ['more than its entries', 'update ai_account set month_granted = month_granted + 1 where customer_id = $1', 11, 10],
    ['less than its entries', 'update ai_account set month_granted = 0 where customer_id = $1', 0, 10],
    [
      'an entry of another month',
      `update ai_ledger_entry set month = '2020-01' where customer_id = $1 and kind = 'monthly_included'`,
      10,
      0,
    ],
  ])('reports credit granted for the month that is %s', async (_name, falsify, found, expected) => {
    const { customerId } = await arrange();
    await fixture.superuser.query(falsify, [customerId]);
    const problem = 'credit granted for the month is not the sum of its ledger entries';
    const problems = await problemsOf(fixture, customerId);
    expect(problems).toEqual([{ customerId, problem, found: expect.any(String), expected: expect.any(String) }]);
    expect(problems.map((row) => [Number(row.found), Number(row.expected)])).toEqual([[found, expected]]);
  });

  it.each([
    ['has no entry', 'update ai_ledger_entry set credit_request_id = null where credit_request_id = $1', 'no entry'],
    ['is for another amount', 'update ai_credit_request set amount_nok = 600 where id = $1', 'amount'],
    ['has another invoice', `update ai_credit_request set invoice_id = '${randomUUID()}' where id = $1`, 'invoice'],
    [
      'was taken back, and its credit was not',
      `update ai_credit_request set status = 'pending', invoice_id = null, decided_at = null where id = $1`,
      'no approval',
    ],
    ['was booked as something else', `update ai_ledger_entry set kind = 'refund' where credit_request_id = $1`, 'kind'],
  ])('reports a credit request that %s', async (_name, falsify, what) => {
    const { customerId, id, booked } = await arrange();
    await fixture.superuser.query(falsify, [id]);
    const right = `invoice_topup of purchased, ${booked}`;
    const wrong = expect.stringMatching(/^invoice_topup of purchased, [56]00 NOK, invoice /);
    const [found, expected] = {
      'no entry': ['no ledger entry', right],
      amount: [right, right.replace('500', '600')],
      invoice: [right, wrong],
      'no approval': [right, 'no approval'],
      kind: [`refund of purchased, ${booked}`, right],
    }[what]!;
    expect(await problemsOf(fixture, customerId)).toEqual([
      { customerId, problem: BOOKED.replace('%s', String(id)), found, expected },
    ]);
  });

  it('reports credit for a request that waits, and credit for one request twice', async () => {
    const { customerId, id, pending, booked } = await arrange();
    const right = `invoice_topup of purchased, ${booked}`;
    const book = (request: number) =>
      fixture.superuser.query(
        `select app.ai_credit($1, (select month from ai_account where customer_id = $1), now(), 'invoice_topup', 7, null,
           'operator:test', $2, null)`,
        [customerId, request],
      );
    await book(pending);
    await book(id);
    const extra = 'invoice_topup of purchased, 7 NOK, invoice none';
    expect(await problemsOf(fixture, customerId)).toEqual([
      { customerId, problem: BOOKED.replace('%s', String(id)), found: `${right}; ${extra}`, expected: right },
      { customerId, problem: BOOKED.replace('%s', String(pending)), found: extra, expected: 'no approval' },
    ]);
  });

  describe('of the sums of days', () => {
    /** Two calls in the middle of the month: nobody knows the calls of the first day of the oldest month. */
    async function arrangeDay() {
      const { customerId } = await arrange();
      const day = `${billingMonth()}-15`;
      for (const included of ['0.1', '0.000000000001'])
        await saveFakeUsage(fixture.superuser, customerId, { createdAt: `${day}T12:00:00Z`, model: 'm', included });
      return { customerId, day };
    }
    const dayProblems = async (customerId: string) =>
      (await problemsOf(fixture, customerId)).filter(({ problem }) => problem.includes('the sum of the day'));

    it('finds none where they are those of the calls', async () => {
      const { customerId } = await arrangeDay();
      expect(await dayProblems(customerId)).toEqual([]);
    });

    const right = '2 calls: 0.100000000001 + 0 NOK, uncovered 0 of 0.100000000001, tokens 20 40 0 0 0';
    it.each([
      ['a call too many', 'update ai_usage_day set calls = 3 where customer_id = $1', right.replace('2', '3')],
      [
        'the last decimal of what was paid',
        'update ai_usage_day set paid_from_included = 0.1 where customer_id = $1',
        right.replace('0.100000000001 +', '0.1 +'),
      ],
      [
        'which credit paid',
        'update ai_usage_day set paid_from_included = 0, paid_from_purchased = 0.100000000001 where customer_id = $1',
        right.replace('0.100000000001 + 0', '0 + 0.100000000001'),
      ],
      [
        'the cost',
        'update ai_usage_day set cost = 7 where customer_id = $1',
        right.replace('of 0.100000000001', 'of 7'),
      ],
      ['tokens', 'update ai_usage_day set output_tokens = 41 where customer_id = $1', right.replace(' 40 ', ' 41 ')],
      ['a sum that is missing', 'delete from ai_usage_day where customer_id = $1', 'no sum'],
    ])('names %s', async (_, falsify, found) => {
      const { customerId, day } = await arrangeDay();
      await fixture.superuser.query(falsify, [customerId]);
      const problem = `${day}, model m, token 00000000-0000-0000-0000-000000000000: the sum of the day is not that of its calls`;
      expect(await dayProblems(customerId)).toEqual([{ customerId, problem, found, expected: right }]);
      expect(await problemsOf(fixture)).toContainEqual({ customerId, problem, found, expected: right });
      await fixture.superuser.query('delete from ai_usage where customer_id = $1', [customerId]);
      await fixture.superuser.query('delete from ai_usage_day where customer_id = $1', [customerId]);
    });

    it('names a sum without calls, and one of another day', async () => {
      const { customerId, day } = await arrangeDay();
      const nextDay = day.replace('-15', '-16');
      await fixture.superuser.query('update ai_usage_day set day = $2 where customer_id = $1', [customerId, nextDay]);
      expect(
        (await dayProblems(customerId)).map(({ problem, found, expected }) => [problem.slice(0, 10), found, expected]),
      ).toEqual([
        [day, 'no sum', right],
        [nextDay, right, 'no calls'],
      ]);
      await fixture.superuser.query('delete from ai_usage where customer_id = $1', [customerId]);
      await fixture.superuser.query('delete from ai_usage_day where customer_id = $1', [customerId]);
    });
  });
});
