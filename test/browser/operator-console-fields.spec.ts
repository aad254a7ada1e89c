import { randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, visitConsole } from '@test/operator-console';

describe("What people type into the operator's console", () => {
  let api: TestOperatorApi;
  let kari: ConsoleVisitor;
  let customerId: string;
  beforeAll(async () => {
    api = await startOperatorApi();
    kari = await visitConsole(api);
    customerId = (await saveFakeCustomer(api.superuser)).id;
    await kari.logIn('admin');
  }, 240_000);
  afterAll(async () => {
    await kari.stop();
    await api.stop();
  });
  afterEach(() => expect(kari.complaints).toEqual([]));

  const dialog = () => kari.page.getByRole('dialog');
  const button = (name: string, within: Pick<Locator, 'getByRole'> = kari.page) =>
    within.getByRole('button', { name, exact: true }).first();
  const stored = async (columns: string) =>
    (await api.superuser.query(`select ${columns} from customer where id = $1`, [customerId])).rows;

  it('is a whole number with spaces between thousands, and no other with a dot or comma', async () => {
    await kari.open(`/customers/${customerId}/show`);
    await button('Limits').click();
    for (const refused of ['1.000', '1,000', '-1', '1e3']) {
      await dialog().getByLabel('Requests per minute').fill(refused);
      await button('Limits', dialog()).click();
      await dialog().getByText('A whole number, such as 1500').waitFor();
      expect(await dialog().getByLabel('Requests per minute').inputValue()).toBe(refused);
    }
    await dialog().getByLabel('Requests per minute').fill('1 500');
    await button('Limits', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await stored('requests_per_minute')).toEqual([{ requests_per_minute: 1500 }]);
    await button('Limits').click();
    await dialog().getByLabel('Requests per minute').fill('');
    await button('Limits', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await stored('requests_per_minute')).toEqual([{ requests_per_minute: null }]);
  });

  it('is the number that it was before, after a logout and after the end of a session: the formats that were chosen stay', async () => {
    const chosen = () => kari.page.getByRole('button', { name: /Norwegian/, pressed: true });
    await kari.open('/prices');
    await kari.page.getByRole('button', { name: /Norwegian/ }).click();
    await chosen().waitFor();
    const ends = [
      async () => {
        await button('admin').click();
        await kari.page.getByRole('menuitem', { name: 'Logout' }).click();
      },
      () => api.superuser.query('update operator_session set revoked_at = now()'),
    ];
    for (const end of ends) {
      await end();
      await button('Log in with a passkey').waitFor();
      await kari.logIn('admin');
      await chosen().waitFor();
      await kari.open(`/customers/${customerId}/show/ai`);
      await button('Add credit').click();
      await dialog().getByLabel('Amount in NOK').fill('1.500');
      await dialog().getByLabel('Why').fill('Calls of 3 March');
      await button('Add credit', dialog()).click();
      await dialog().getByText('A number, such as 1 234,50').waitFor();
      await button('Cancel', dialog()).click();
    }
    await kari.page.getByRole('button', { name: /English/ }).click();
  });

  it('is not kept by the browser if somebody was looked for', async () => {
    await kari.open(`/sms?filter=${encodeURIComponent('{"q":"+4790000000"}')}`);
    expect(await kari.page.getByPlaceholder('recipient').inputValue()).toBe('+4790000000');
    expect(await kari.page.evaluate('JSON.stringify(localStorage)')).not.toContain('4790000000');
  });

  it('is a day in words below a filter, too', async () => {
    await kari.open(`/invoices?filter=${encodeURIComponent('{"due_before":"2099-02-01"}')}`);
    await kari.page.getByText('1 February 2099').waitFor();
  });

  it('is a reply to its ticket alone', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'No SMS', 'None came'), ($1, $3, 'No AI', 'None')`,
      [customerId, first, second],
    );
    // The second page is known when the address changes.
    for (const id of [second, first]) await kari.open(`/tickets/${id}/show`);
    await kari.page.getByLabel('Reply').fill('They are sent again');
    await kari.open(`/tickets/${second}/show`);
    expect(await kari.page.getByLabel('Reply').inputValue()).toBe('');
  });

  it('is a token that leaves the page at once, whatever stands before it', async () => {
    await kari.open('/tokens');
    const field = kari.page.getByLabel('Token, fingerprint or id');
    await field.fill('Bearer cas_live_of_nobody');
    await Promise.all([kari.page.waitForResponse('**/tokens/find'), button('Find').click()]);
    await kari.settled();
    expect(await field.inputValue()).toBe('');
    kari.complaints.length = 0;
  });

  it('is no date any more once it is emptied, also if Enter follows', async () => {
    await kari.open(`/customers/${customerId}/show/tokens`);
    await button('Issue a token').click();
    const expires = dialog().getByLabel('Expires');
    await expires.fill('2099-02-01T12:00');
    await dialog().getByText('1 February 2099').waitFor();
    await expires.fill('');
    await expires.press('Enter');
    await kari.page.locator('[data-secret=token]').waitFor();
    const { rows } = await api.superuser.query('select expires_at from service_token where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ expires_at: null }]);
    await button('Close', dialog()).click();

    await kari.open('/prices');
    await button('Add a price').click();
    const fields = { 'Model,': 'claude-of-today', Input: '12', Output: '60', 'First day': '2099-02-01' };
    for (const [label, value] of Object.entries(fields)) await dialog().getByLabel(label).first().fill(value);
    await dialog().getByLabel('First day').fill('');
    await dialog().getByLabel('First day').press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await kari.page.locator('tr').filter({ hasText: 'claude-of-today' }).getByText('in force').waitFor();
  });
});
