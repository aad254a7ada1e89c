import { saveFakeToken } from '@test/factories/service-token.factory';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { enableAi } from '@test/ai-factories';
import { billingMonth } from '@test/billing-days';
import { caller as callerWith, createCaller } from '@test/api';
import { parseExactly } from '@test/csv-lists';
import { expectProblem } from '@test/expect-problem';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describePaging } from '@test/suites/paging.suite';
import { describeValidation } from '@test/suites/validation.suite';
import type { AiOverviewDto } from '../../apps/customer-api/src/ai/ai-overview.dto';
import type { CreditRequestDto } from '@records/credit-request.dto';
import type { CreditRequestPageDto } from '../../apps/customer-api/src/credit-requests/credit-request.dto';

const body = { amount_nok: 1000 };
const POST = { method: 'POST', path: '/ai/credit-requests', body } as const;
type Caller = Awaited<ReturnType<typeof createAiCaller>>;

let fixture: AiApi;
beforeAll(async () => (fixture = await startAiApi()));
afterAll(() => fixture.stop());

const ask = ({ post }: Caller, reservation: object = {}) => post('/ai/credit-requests', { ...body, ...reservation });
const overviewOf = async ({ call }: Pick<Caller, 'call'>) => (await (await call('/ai')).json()) as AiOverviewDto;

describe('GET /ai', () => {
  describeAuthentication(() => fixture.api, { method: 'GET', path: '/ai' }, 'ai:read');

  it('has the eight fields, and the waiting credit requests', async () => {
    const caller = await createAiCaller(fixture, { included: 20, purchased: 3.5 });
    const asked = (await (await ask(caller, { note: 'PO', reference: 'r' })).json()) as CreditRequestDto;
    expect(await overviewOf(caller)).toEqual({
      ai: {
        enabled: true,
        included_credit_remaining: 20,
        purchased_credit: 3.5,
        reserved_credit: 0,
        total_available_credit: 23.5,
        current_month_usage: 0,
        current_month_limit: 23.5,
        month: billingMonth(),
      },
      pending_credit_requests: [{ ...asked, created_at: expect.any(String) }],
    });
  });

  it('has every digit of an amount', async () => {
    const { call, customer } = await createAiCaller(fixture);
    await fixture.api.superuser.query(
      `update ai_account set purchased = 1234567.123456789012, reserved = 0.000000000001 where customer_id = $1`,
      [customer.id],
    );
    const { ai } = parseExactly(await (await call('/ai')).text()) as { ai: object };
    const all = '1234572.123456789012';
    expect(ai).toMatchObject({
      ...{ included_credit_remaining: 5, purchased_credit: '1234567.123456789012', total_available_credit: all },
      ...{ reserved_credit: '0.000000000001', current_month_usage: 0, current_month_limit: all },
    });
  });

  it('has the waiting credit requests newest first', async () => {
    const caller = await createAiCaller(fixture);
    for (const reference of ['first', 'second', 'third']) expect((await ask(caller, { reference })).status).toBe(201);
    const { pending_credit_requests: pending } = await overviewOf(caller);
    expect(pending.map(({ reference }) => reference)).toEqual(['third', 'second', 'first']);
  });

  it('has the credit that a month begins with, before the account has begun it: what the active ai services include', async () => {
    const caller = await createAiCaller(fixture, { included: 20, purchased: 3 });
    const { superuser } = fixture.api;
    const change = (sql: string) => superuser.query(sql, [caller.customer.id]);
    const shown = async () => {
      const { ai } = await overviewOf(caller);
      return [ai.month, ai.included_credit_remaining, ai.current_month_usage, ai.current_month_limit];
    };
    await change(
      `update ai_account set month = '2026-01', included = 7, month_usage = 13, month_included_usage = 13 where customer_id = $1`,
    );
    await change(
      `insert into customer_service (customer_id, type, name, status, config)
       values ($1, 'hosting', 'Web', 'active', '{"monthly_included_nok": 40}'), ($1, 'ai', 'More', 'active', '{"monthly_included_nok": 5}')`,
    );
    expect(await shown()).toEqual([billingMonth(), 25, 0, 28]);
    await change(`update customer_service set status = 'suspended' where customer_id = $1 and name = 'More'`);
    expect(await shown()).toEqual([billingMonth(), 20, 0, 23]);
    await change('update ai_settings set enabled = false where customer_id = $1');
    expect(await shown()).toEqual([billingMonth(), 0, 0, 3]);
  });

  it('answers a customer without AI', async () => {
    const caller = await createCaller(fixture.api);
    expect((await overviewOf(caller)).ai).toMatchObject({ enabled: false, total_available_credit: 0 });
  });
});

describe('POST /ai/credit-requests', () => {
  describeAuthentication(() => fixture.api, { ...POST, otherwise: [403, 'ai_disabled'] }, 'ai:topup');

  const prepare = (customerId: string) => enableAi(fixture.api.superuser, customerId, { model: fixture.model });
  const text = (max: number, mayBeEmpty = true) => ({
    accepted: [
      ...(mayBeEmpty ? [['none', '']] : []),
      [`${max} characters`, 'a'.repeat(max)],
      [`${max} emoji`, '😀'.repeat(max)],
      ['a missing field', undefined],
    ] as [string, unknown][],
    refused: [
      [`${max + 1} characters`, 'a'.repeat(max + 1)],
      ['a number', 5],
      ['null', null],
      ['the null character', 'a\0b'],
      ...(mayBeEmpty
        ? []
        : [
            ['none', ''],
            ['blanks', '  '],
          ]),
    ] as [string, unknown][],
  });
  describeValidation(() => fixture.api, POST, 'note', text(500), prepare);
  describeValidation(() => fixture.api, POST, 'reference', text(120, false), prepare);
  describeValidation(
    () => fixture.api,
    POST,
    'amount_nok',
    {
      accepted: [
        ['100', 100],
        ['50000', 50000],
        ['øre', 100.01],
        ['øre that are no whole number of them as a binary fraction', 128.02],
      ],
      refused: [
        ['99.99', 99.99],
        ['50000.01', 50000.01],
        ['a negative amount', -100],
        ['fractions of an øre', 100.001],
        ['a text', '1000'],
        ['null', null],
        ['a missing field', undefined],
        ['a list', [1000]],
      ],
    },
    prepare,
  );

  it('answers 201, then 200 with the same request unchanged', async () => {
    const caller = await createAiCaller(fixture);
    const first = await ask(caller, { reference: 'r', note: 'one' });
    expect(first.status).toBe(201);
    const request = (await first.json()) as CreditRequestDto;
    expect(request).toMatchObject({
      amount_nok: 1000,
      note: 'one',
      reference: 'r',
      status: 'pending',
      invoice_id: null,
    });
    const again = await ask(caller, { reference: 'r', note: 'two', amount_nok: 200 });
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(request);
    expect((await overviewOf(caller)).ai.purchased_credit).toBe(0);
  });

  it('with one reference, 500 at once: one 201, 499 × 200, one id', async () => {
    const caller = await createAiCaller(fixture);
    const replies = await Promise.all(Array.from({ length: 500 }, () => ask(caller, { reference: 'same' })));
    const ids = await Promise.all(replies.map(async (reply) => ((await reply.json()) as CreditRequestDto).id));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(499);
    expect(new Set(ids).size).toBe(1);
  });

  it('with different references, 200 at once: exactly 5 × 201, and a replay at the cap is 200', async () => {
    const caller = await createAiCaller(fixture);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => ask(caller, { reference: `r${index}` })),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(195);
    const [waiting] = (await overviewOf(caller)).pending_credit_requests;
    expect((await ask(caller, { reference: waiting!.reference })).status).toBe(200);
    await expectProblem(await ask(caller, { reference: 'one more' }), 409, 'too_many_pending_requests');
    await expectProblem(await ask(caller, { reference: 'one more', amount_nok: 1 }), 400, 'invalid_request');
  });

  it('says 403 where AI is not enabled', async () => {
    await expectProblem(await ask(await createAiCaller(fixture, { enabled: false })), 403, 'ai_disabled');
  });
});

describe('GET /ai/credit-requests', () => {
  describeAuthentication(() => fixture.api, { method: 'GET', path: '/ai/credit-requests' }, 'ai:read');

  describePaging(
    () => fixture.api,
    '/ai/credit-requests',
    'ai_credit_request',
    async (client, customerId, createdAt) => {
      const { rows } = await client.query<{ id: number }>(
        'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 1000, $2) returning id',
        [customerId, createdAt],
      );
      return { id: rows[0]?.id };
    },
    (item) => item.id,
  );

  it('lists newest first, by status, page by page', async () => {
    const caller = await createAiCaller(fixture);
    const ids: number[] = [];
    for (let count = 0; count < 3; count++) ids.unshift(((await (await ask(caller)).json()) as CreditRequestDto).id);
    await fixture.api.superuser.query(
      `update ai_credit_request set status = 'rejected', reason = 'No', decided_at = now() where customer_id = $1 and id = $2`,
      [caller.customer.id, ids[1]],
    );
    const page = async (query: string) =>
      (await (await caller.call(`/ai/credit-requests${query}`)).json()) as CreditRequestPageDto;
    const first = await page('?limit=2');
    expect(first).toMatchObject({
      has_more: true,
      data: [{ id: ids[0] }, { id: ids[1], status: 'rejected', rejection_reason: 'No' }],
    });
    expect(await page(`?limit=2&cursor=${first.next_cursor}`)).toMatchObject({
      has_more: false,
      next_cursor: null,
      data: [{ id: ids[2] }],
    });
    expect((await page('?status=pending')).data.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect((await page('?status=approved')).data).toEqual([]);
  });

  it.each(['status=open', 'status=', 'status=PENDING', 'status=pending&status=approved', 'cursor=x', 'limit=0'])(
    'refuses ?%s',
    async (query) => {
      const caller = await createAiCaller(fixture);
      await expectProblem(await caller.call(`/ai/credit-requests?${query}`), 400, 'invalid_request');
    },
  );
});

describe('GET /ai/credit-requests/{id}', () => {
  describeAuthentication(
    () => fixture.api,
    { method: 'GET', path: '/ai/credit-requests/999999999', otherwise: [404, 'not_found'] },
    'ai:read',
  );

  it("shows one's own request, and 404 for another customer's, an unknown one and what is no number", async () => {
    const [mine, theirs] = [await createAiCaller(fixture), await createAiCaller(fixture)];
    const request = (await (await ask(mine)).json()) as CreditRequestDto;
    const reply = await mine.call(`/ai/credit-requests/${request.id}`);
    expect([reply.status, await reply.json()]).toEqual([200, request]);
    for (const id of ['999999999', 'abc', '0', '1.5', '-1', '99999999999999999999']) {
      await expectProblem(await mine.call(`/ai/credit-requests/${id}`), 404, 'not_found');
    }
    await expectProblem(await theirs.call(`/ai/credit-requests/${request.id}`), 404, 'not_found');
  });

  it('needs ai:read, not ai:topup', async () => {
    const { customer } = await createAiCaller(fixture);
    const { token } = await saveFakeToken(fixture.api.superuser, customer.id, { scopes: ['ai:topup'] });
    await expectProblem(await callerWith(fixture.api.baseUrl, token)('/ai/credit-requests'), 403, 'insufficient_scope');
  });
});
