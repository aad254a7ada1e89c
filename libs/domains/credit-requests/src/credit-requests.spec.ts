import { randomUUID } from 'node:crypto';
import { AiConfigurationOperatorService, AiOverviewModule, AiOverviewService } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { DuplicateInvoiceError } from '@domains/invoices';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, asCustomer, balancesOf, createAiFixture, problemsOf } from '@test/ai.fixture';
import { holdLock, waitForLocks } from '@test/locks';
import {
  CreditRequestsOperatorService,
  CreditRequestsOperatorModule,
  CreditRequestsService,
  CreditRequestsModule,
  type NewCreditRequest,
} from './index';

describe('Credit requests', () => {
  let fixture: AiFixture;
  let model: string;

  beforeAll(async () => {
    // On a busy machine the last of 500 requests waits longer than the default.
    fixture = await createAiFixture({ PENDING_CREDIT_REQUESTS: '5', DATABASE_STATEMENT_TIMEOUT_MS: '60000' }, 2, {
      engine: [CreditRequestsModule, AiOverviewModule.with(CreditRequestsModule)],
      operator: [CreditRequestsOperatorModule],
    });
    model = await saveModelPrice(fixture.superuser);
  });
  afterAll(() => fixture.close());

  const customer = (included = 0) => saveAiCustomer(fixture.superuser, { model, included });
  const create = (customerId: string, wish: Partial<NewCreditRequest> = {}, engine = 0) =>
    asCustomer(fixture.engines[engine % 2]!, customerId, () =>
      fixture.engines[engine % 2]!.get(CreditRequestsService).create({
        tokenId: randomUUID(),
        amountNok: 500,
        ...wish,
      }),
    );
  const list = (customerId: string, ...rest: [{ limit: number; cursor?: string }, 'approved'?]) =>
    asCustomer(fixture.engines[0]!, customerId, () => fixture.engines[0]!.get(CreditRequestsService).list(...rest));
  const overview = async (customerId: string) => {
    const engine = fixture.engines[0]!;
    const { pending, ...status } = await asCustomer(engine, customerId, () => engine.get(AiOverviewService).find());
    return { status, pending };
  };
  const creditRequests = () => fixture.operator.get(CreditRequestsOperatorService);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
    );

  it('are stored and audited, and add no credit', async () => {
    const customerId = await customer();
    const { request, created } = await create(customerId, { amountNok: 1234.5, note: 'PO 7', reference: 'ref-æ' });
    expect(created).toBe(true);
    expect(request).toMatchObject({
      amountNok: '1234.50',
      note: 'PO 7',
      reference: 'ref-æ',
      status: 'pending',
      invoiceId: null,
    });
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ purchased: 0 });
    const { rows } = await fixture.superuser.query('select actor, action from audit_log where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ actor: expect.stringMatching(/^token:/), action: 'credit-request.create' }]);
  });

  it('with one reference are one request: 500 at once through two engines', async () => {
    const customerId = await customer();
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        create(customerId, { reference: 'same', amountNok: 100 + index }, index),
      ),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ request }) => JSON.stringify(request))).size).toBe(1);
    const { rows } = await fixture.superuser.query(
      'select count(*)::int from ai_credit_request where customer_id = $1',
      [customerId],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('keep to the cap: 200 at once through two engines', async () => {
    const customerId = await customer();
    const codes = await Promise.all(
      Array.from({ length: 200 }, (_, index) => codeOf(create(customerId, { reference: `r${index}` }, index))),
    );
    expect(codes.filter((code) => code === 'done')).toHaveLength(5);
    expect(codes.filter((code) => code === 'too_many_pending_requests')).toHaveLength(195);
    const { pending } = await overview(customerId);
    expect(pending).toHaveLength(5);
    const replay = await create(customerId, { reference: pending[0]!.reference!, amountNok: 9999 });
    expect(replay).toMatchObject({ created: false, request: { id: pending[0]!.id, amountNok: '500.00' } });
  });

  it('wait for one that is being stored, and count it', async () => {
    const customerId = await customer();
    await fixture.superuser.query('update customer set pending_credit_requests = 1 where id = $1', [customerId]);
    const undo = await holdLock(fixture.database, `select app.create_credit_request($1, 500, null, null, 1, 'test')`, [
      customerId,
    ]);
    const other = codeOf(create(customerId));
    expect(await Promise.race([other, waitForLocks(fixture.superuser, 1)])).toBeUndefined();
    await undo();
    expect(await other).toBe('done');
    expect(await codeOf(create(customerId))).toBe('too_many_pending_requests');
  });

  it.each([
    [1, ['done', 'too_many_pending_requests']],
    [0, ['too_many_pending_requests', 'too_many_pending_requests']],
  ])("keep to the customer's own cap: %s", async (cap, codes) => {
    const customerId = await customer();
    await fixture.superuser.query('update customer set pending_credit_requests = $2 where id = $1', [customerId, cap]);
    expect([await codeOf(create(customerId)), await codeOf(create(customerId))]).toEqual(codes);
  });

  it('are refused where AI is not enabled, except that one that exists is found by its reference', async () => {
    const customerId = await customer();
    const { request } = await create(customerId, { reference: 'before' });
    await fixture.operator
      .get(AiConfigurationOperatorService)
      .configure('operator:test', customerId, { enabled: false });
    expect(await create(customerId, { reference: 'before', amountNok: 9999 })).toEqual({ created: false, request });
    expect(await codeOf(create(customerId, { reference: 'after' }))).toBe('ai_disabled');
    expect(await codeOf(create(customerId))).toBe('ai_disabled');
    expect(await codeOf(create(randomUUID()))).toBe('ai_disabled');
  });

  it('of another customer cannot be seen, and share no reference', async () => {
    const [mine, theirs] = [await customer(), await customer()];
    const { request } = await create(theirs, { reference: 'shared' });
    expect((await create(mine, { reference: 'shared' })).created).toBe(true);
    const find = asCustomer(fixture.engines[0]!, mine, () =>
      fixture.engines[0]!.get(CreditRequestsService).find(request.id),
    );
    expect(await codeOf(find)).toBe('not_found');
    expect((await list(mine, { limit: 10 })).items.map(({ id }) => id)).not.toContain(request.id);
  });

  it('are listed newest first, page by page, by status', async () => {
    const customerId = await customer();
    const ids: number[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await create(customerId)).request.id);
    const first = await list(customerId, { limit: 2 });
    const second = await list(customerId, { limit: 2, cursor: first.nextCursor! });
    const third = await list(customerId, { limit: 2, cursor: second.nextCursor! });
    expect([first, second, third].flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
    expect([first.hasMore, second.hasMore, third.hasMore]).toEqual([true, true, false]);
    await creditRequests().approve('operator:test', ids[2]!);
    expect((await list(customerId, { limit: 10 }, 'approved')).items.map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('approved add the credit, an invoice and the audit entry once, however often the command is repeated', async () => {
    const customerId = await customer();
    const { request } = await create(customerId, { amountNok: 1234.5, reference: 'PO 9' });
    // All approvals have begun before the first one proceeds: each of them has seen the request as pending.
    const releaseLock = await holdLock(
      fixture.database,
      'select from ai_credit_request where customer_id = $1 and id = $2 for update',
      [customerId, request.id],
    );
    const approving = Array.from({ length: 10 }, () => creditRequests().approve('operator:test', request.id));
    await waitForLocks(fixture.superuser, approving.length);
    await releaseLock();
    const approvals = await Promise.all(approving);
    expect(new Set(approvals.map(({ invoiceId }) => invoiceId)).size).toBe(1);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ purchased: 1234.5 });
    const { rows: invoices } = await fixture.superuser.query(
      'select id, amount, status, currency, number from invoice where customer_id = $1',
      [customerId],
    );
    expect(invoices).toEqual([
      { id: approvals[0]!.invoiceId, amount: '123450', status: 'open', currency: 'NOK', number: `AI-${request.id}` },
    ]);
    const { rows: entries } = await fixture.superuser.query(
      'select kind, bucket, amount::float, credit_request_id, invoice_id, actor from ai_ledger_entry where customer_id = $1',
      [customerId],
    );
    expect(entries).toEqual([
      {
        kind: 'invoice_topup',
        bucket: 'purchased',
        amount: 1234.5,
        credit_request_id: request.id,
        invoice_id: approvals[0]!.invoiceId,
        actor: 'operator:test',
      },
    ]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
    expect((await overview(customerId)).pending).toEqual([]);
    expect(await codeOf(creditRequests().reject('operator:test', request.id, 'no'))).toBe('invalid_request');
  });

  it('change nothing if the invoice cannot be created', async () => {
    const customerId = await customer();
    const [one, two] = [await create(customerId), await create(customerId)];
    await creditRequests().approve('operator:test', one.request.id, 'N-1');
    await fixture.superuser.query(`update invoice set source_id = $2 where customer_id = $1`, [
      customerId,
      `credit-request:${two.request.id}`,
    ]);
    await expect(creditRequests().approve('operator:test', two.request.id, 'N-2')).rejects.toBeInstanceOf(
      DuplicateInvoiceError,
    );
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ purchased: 500 });
    expect((await overview(customerId)).pending.map(({ id }) => id)).toEqual([two.request.id]);
  });

  it('rejected have a reason, and do not count as pending', async () => {
    const customerId = await customer();
    await fixture.superuser.query('update customer set pending_credit_requests = 1 where id = $1', [customerId]);
    const { request } = await create(customerId);
    await creditRequests().reject('operator:test', request.id, 'No contract');
    expect((await list(customerId, { limit: 1 })).items[0]).toMatchObject({
      status: 'rejected',
      reason: 'No contract',
    });
    expect(await codeOf(creditRequests().approve('operator:test', request.id))).toBe('invalid_request');
    expect((await create(customerId)).created).toBe(true);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ purchased: 0 });
  });

  describe('and the AI status', () => {
    it('is all zero for a customer without AI', async () => {
      const { status, pending } = await overview(randomUUID());
      expect(status).toMatchObject({
        enabled: false,
        totalAvailableCredit: '0',
        currentMonthLimit: '0',
        month: expect.stringMatching(/^\d{4}-\d\d$/),
      });
      expect(pending).toEqual([]);
    });

    it('adds up, and shows the waiting requests', async () => {
      const customerId = await customer(20);
      const { request } = await create(customerId);
      await creditRequests().approve('operator:test', (await create(customerId)).request.id);
      await fixture.send(customerId, { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 });
      const { status, pending } = await overview(customerId);
      expect(Number(status.currentMonthUsage)).toBeGreaterThan(0);
      expect(Number(status.includedCreditRemaining)).toBeCloseTo(20 - Number(status.currentMonthUsage), 10);
      expect(Number(status.purchasedCredit)).toBe(500);
      expect(Number(status.totalAvailableCredit)).toBeCloseTo(520 - Number(status.currentMonthUsage), 10);
      expect(Number(status.currentMonthLimit)).toBe(520);
      expect(pending.map(({ id }) => id)).toEqual([request.id]);
    });

    it("shows the operator's limit", async () => {
      const customerId = await customer(20);
      await fixture.operator
        .get(AiConfigurationOperatorService)
        .configure('operator:test', customerId, { monthlyLimitNok: '7.5' });
      expect(Number((await overview(customerId)).status.currentMonthLimit)).toBe(7.5);
    });

    it('shows the new month before the account is rolled over', async () => {
      const customerId = await saveAiCustomer(fixture.superuser, {
        model,
        included: 20,
        purchased: 3,
        month: '2020-01',
      });
      const { status } = await overview(customerId);
      expect(status).toMatchObject({
        includedCreditRemaining: '20.000000000000',
        purchasedCredit: '3.000000000000',
        totalAvailableCredit: '23.000000000000',
        currentMonthUsage: '0',
      });
      expect(status.month > '2020-01').toBe(true);
    });
  });

  it("are not approved under a number that another customer's invoice has, and change nothing then", async () => {
    const [first, second] = [await customer(), await customer()];
    const [one, two] = [(await create(first)).request, (await create(second)).request];
    await creditRequests().approve('operator:test', one.id, 'F-2026-1');
    expect(await codeOf(creditRequests().approve('operator:test', two.id, 'F-2026-1'))).toBe('invalid_request');
    expect(await balancesOf(fixture.superuser, second)).toMatchObject({ purchased: 0 });
    expect((await overview(second)).pending).toHaveLength(1);
    await creditRequests().approve('operator:test', two.id, 'F-2026-2');
    expect(await balancesOf(fixture.superuser, second)).toMatchObject({ purchased: 500 });
  });
});
