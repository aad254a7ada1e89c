import { randomUUID } from 'node:crypto';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { describeAuthentication } from '@test/suites/authentication.suite';

/** Records that can be read one by one: each is what its list shows. */
const DETAILS = [
  ['/invoices', 'invoices:read', async (customerId: string) => void (await saveFakeInvoice(api.superuser, customerId))],
  ['/sms/log', 'sms:read', (customerId: string) => addSms(customerId)],
] as const;

let api: TestApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());

async function addSms(customerId: string): Promise<void> {
  await api.superuser.query(
    `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway, status)
     values ($1, $2, '+4790000000', 'Acme', 'Hello', 1, 'GSM-7', '46elks', 'delivered')`,
    [customerId, randomUUID()],
  );
}

describe.each(DETAILS)('GET %s/{id}', (list, scope, add) => {
  describeAuthentication(
    () => api,
    { method: 'GET', path: `${list}/${randomUUID()}`, otherwise: [404, 'not_found'] },
    scope,
  );

  it('has what the list has', async () => {
    const { customer, call } = await createCaller(api);
    for (let count = 0; count < 3; count++) await add(customer.id);
    const { data } = (await (await call(list)).json()) as { data: { id: string }[] };
    expect(data).toHaveLength(3);
    for (const item of data) {
      for (const id of [item.id, item.id.toUpperCase()]) {
        expect(await (await call(`${list}/${id}`)).json()).toEqual(item);
      }
    }
  });

  it.each(['1', 'x', randomUUID(), '%00', `${randomUUID()}x`])('gives 404 for %s', async (id) => {
    const { call } = await createCaller(api);
    await expectProblem(await call(`${list}/${id}`), 404, 'not_found');
  });

  it("gives 404 for another customer's", async () => {
    const [mine, theirs] = [await createCaller(api), await createCaller(api)];
    await add(theirs.customer.id);
    const { data } = (await (await theirs.call(list)).json()) as { data: { id: string }[] };
    await expectProblem(await mine.call(`${list}/${data[0]?.id}`), 404, 'not_found');
  });
});

describe('GET /invoices/{id}', () => {
  it('shows no draft', async () => {
    const { customer, call } = await createCaller(api);
    const { id } = await saveFakeInvoice(api.superuser, customer.id, { status: 'draft' });
    await expectProblem(await call(`/invoices/${id}`), 404, 'not_found');
  });
});
