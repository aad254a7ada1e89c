import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeInvoice } from '@test/factories/invoice.factory';

interface Page {
  data: { number: string }[];
  next_cursor: string;
}

describe('filters of lists', () => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    api = await startApi();
    me = await createCaller(api);
    for (const number of ['1', '2', '3', '4']) await saveFakeInvoice(api.superuser, me.customer.id, { number });
  });
  afterAll(() => api.stop());

  const read = async (query: string) => {
    const reply = await me.call(`/invoices?${query}`);
    expect(reply.status).toBe(200);
    return (await reply.json()) as Page;
  };

  it.each([
    ['a filter that was added', 'limit=1', 'status=open'],
    ['a filter that was left out', 'limit=1&status=open', 'limit=1'],
    ['another value', 'limit=1&issue_date_from=2025-01-01', 'issue_date_from=2025-01-02'],
    ['the value of another filter', 'limit=1&issue_date_from=2026-01-01', 'issue_date_to=2026-01-01'],
  ])('refuse a cursor under %s', async (_name, before, after) => {
    const { next_cursor } = await read(before);
    const problem = await expectProblem(
      await me.call(`/invoices?${after}&cursor=${next_cursor}`),
      400,
      'invalid_request',
    );
    expect(problem.errors).toEqual([
      { pointer: '/cursor', detail: 'cursor comes from another list or other filters; begin again without it' },
    ]);
  });

  it('take a cursor with another limit', async () => {
    const { next_cursor } = await read('limit=1&status=open');
    expect((await read(`limit=3&status=open&cursor=${next_cursor}`)).data).toHaveLength(3);
  });

  it('refuse the cursor of credit requests under another status', async () => {
    const first = await api.superuser.query<{ id: number }>(
      `insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 100, now()), ($1, 200, now()) returning id`,
      [me.customer.id],
    );
    expect(first.rows).toHaveLength(2);
    const { next_cursor } = (await (await me.call('/ai/credit-requests?limit=1&status=pending')).json()) as Page;
    for (const query of ['status=approved&', '']) {
      const reply = await me.call(`/ai/credit-requests?${query}cursor=${next_cursor}`);
      await expectProblem(reply, 400, 'invalid_request');
    }
  });

  it('refuse reversed dates', async () => {
    const reply = await me.call('/invoices?issue_date_from=2026-02-01&issue_date_to=2026-01-31');
    const problem = await expectProblem(reply, 400, 'invalid_request');
    expect(problem.errors).toEqual([
      { pointer: '/issue_date_to', detail: 'issue_date_to must not be before issue_date_from' },
    ]);
    expect((await read('issue_date_from=2026-01-01&issue_date_to=2026-01-01')).data).toHaveLength(4);
  });
});
