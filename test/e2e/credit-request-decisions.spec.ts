import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { billingMonth } from '@test/billing-days';
import { expectProblem } from '@test/expect-problem';
import { operatorCommand } from '@test/operator-command';
import type { AiOverviewDto } from '../../apps/customer-api/src/ai/ai-overview.dto';
import type { AiLedgerPageDto } from '../../apps/customer-api/src/ai-usage/ai-ledger.dto';
import type { CreditRequestDto } from '@records/credit-request.dto';

/** Credit requests over HTTP while the operator decides on them. */
describe('a credit request that was decided', () => {
  let fixture: AiApi;
  beforeAll(async () => (fixture = await startAiApi({ PENDING_CREDIT_REQUESTS: '1' })));
  afterAll(() => fixture.stop());

  const operator = async (...words: string[]) => {
    const { code, stderr } = await operatorCommand(fixture.api.database, ['credit-request', ...words, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };

  async function request() {
    const caller = await createAiCaller(fixture);
    const ask = (reference: string) =>
      caller.post('/ai/credit-requests', { amount_nok: 1000, reference, note: 'Please' });
    const first = await ask('PO 7');
    expect(first.status).toBe(201);
    const { id } = (await first.json()) as CreditRequestDto;
    const stored = async () =>
      (
        await fixture.api.superuser.query(
          'select id, status from ai_credit_request where customer_id = $1 order by id',
          [caller.customer.id],
        )
      ).rows;
    const overview = async () => (await (await caller.call('/ai')).json()) as AiOverviewDto;
    return { ...caller, id, ask, stored, overview };
  }

  it('and approved is returned for its reference: 200, the same request, no second invoice', async () => {
    const { customer, call, id, ask, stored, overview } = await request();
    await operator('approve', '--id', String(id));
    const again = await ask('PO 7');
    expect(again.status).toBe(200);
    const { invoice_id, ...replayed } = (await again.json()) as CreditRequestDto;
    expect(replayed).toMatchObject({ id, status: 'approved', amount_nok: 1000, reference: 'PO 7' });
    expect(await stored()).toEqual([{ id, status: 'approved' }]);
    expect((await overview()).pending_credit_requests).toEqual([]);
    expect((await overview()).ai.purchased_credit).toBe(1000);
    const invoices = await fixture.api.superuser.query('select id from invoice where customer_id = $1', [customer.id]);
    expect(invoices.rows).toEqual([{ id: invoice_id }]);
    // The ledger says where the credit came from, in the customer's own words.
    const { data } = (await (await call('/ai/ledger?kind=invoice_topup')).json()) as AiLedgerPageDto;
    const cause = { usage_id: null, credit_request_id: id, invoice_id, note: 'PO 7' };
    expect(data).toEqual([
      {
        ...{
          sequence: 2,
          created_at: expect.any(String),
          kind: 'invoice_topup',
          bucket: 'purchased',
          month: billingMonth(),
        },
        ...{ amount: 1000, balance_after: 1000, ...cause },
      },
    ]);
  });

  it('and rejected is returned for its reference, too: another request needs another reference', async () => {
    const { id, ask, stored, overview } = await request();
    await operator('reject', '--id', String(id), '--reason', 'No contract');
    const again = await ask('PO 7');
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ id, status: 'rejected', rejection_reason: 'No contract' });
    expect((await overview()).ai.purchased_credit).toBe(0);
    expect((await ask('PO 8')).status).toBe(201);
    expect(await stored()).toEqual([
      { id, status: 'rejected' },
      { id: expect.any(Number), status: 'pending' },
    ]);
    // Decided requests are not pending.
    expect((await overview()).pending_credit_requests.map(({ reference }) => reference)).toEqual(['PO 8']);
    await expectProblem(await ask('PO 9'), 409, 'too_many_pending_requests');
  });

  it.each([
    [
      'rejection',
      ['reject', '--reason', 'No contract'],
      'credit-request.reject',
      { amount_nok: '1000.00', reason: 'No contract' },
    ],
    ['approval', ['approve'], 'credit-request.approve', { amount_nok: '1000.00', invoice_id: expect.any(String) }],
  ])('leaves in the audit log who decided, and why: %s', async (_name, words, action, metadata) => {
    const { customer, id } = await request();
    const [verb = '', ...more] = words;
    await operator(verb, '--id', String(id), ...more);
    // The repeated command changes nothing.
    await operator(verb, '--id', String(id), ...more);
    const { rows } = await fixture.api.superuser.query(
      'select actor, action, metadata from audit_log where customer_id = $1 and action = $2',
      [customer.id, action],
    );
    expect(rows).toEqual([
      { actor: expect.stringMatching(/^operator:./), action, metadata: { credit_request_id: id, ...metadata } },
    ]);
    const decided = await fixture.api.superuser.query(
      'select decided_by, decided_at is not null as dated from ai_credit_request where id = $1',
      [id],
    );
    expect(decided.rows).toEqual([{ decided_by: expect.stringMatching(/^operator:./), dated: true }]);
  });
});
