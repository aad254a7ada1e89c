import { randomBytes, randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { fakeOrganizationNumber } from '@test/factories/customer.factory';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, holdPasskeys, visitConsole } from '@test/operator-console';

/** The steps of a day, in their order: each goes on with what those before have made. */
describe("An operator's day in the console", () => {
  let api: TestOperatorApi;
  let kari: ConsoleVisitor;
  let customerId: string;
  let token: string;
  beforeAll(async () => {
    api = await startOperatorApi({ SECRETS_KEY: randomBytes(32).toString('base64') });
    kari = await visitConsole(api);
    await kari.logIn('admin', 'kari');
  }, 240_000);
  afterAll(async () => {
    await kari.stop();
    await api.stop();
  });
  afterEach(() => expect(kari.complaints).toEqual([]));

  const button = (name: string, within: Pick<Locator, 'getByRole'> = kari.page) =>
    within.getByRole('button', { name, exact: true }).first();
  const dialog = () => kari.page.getByRole('dialog');
  const menu = (name: string) => kari.page.getByRole('menuitem', { name, exact: true }).click();
  const tab = (name: string) => kari.page.getByRole('tab', { name, exact: true }).click();
  const text = (shown: string | RegExp) => kari.page.getByText(shown).first().waitFor();

  /** Presses a button, fills in its dialog, and confirms. A value `true` is a box to check; `{ choose }` is a choice. */
  async function act(
    name: string,
    fields: Record<string, string | true | { choose: string | RegExp }> = {},
    within: Pick<Locator, 'getByRole'> = kari.page,
    confirm = name,
  ): Promise<void> {
    await button(name, within).click();
    for (const [label, value] of Object.entries(fields)) {
      const field = dialog().getByLabel(label).first();
      if (value === true) await field.check();
      else if (typeof value === 'string') await field.fill(value);
      else {
        await field.click();
        await kari.page.getByRole('option', { name: value.choose, exact: true }).click();
      }
    }
    await button(confirm, dialog()).click();
  }
  const secret = async (kind: string) => {
    const shown = await kari.page.locator(`[data-secret=${kind}]`).innerText();
    await button('Close', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    return shown;
  };
  const row = (shown: string) => kari.page.locator('tr').filter({ hasText: shown }).first();
  const sql = async <Row extends object>(statement: string, values: unknown[] = []) =>
    (await api.superuser.query<Row>(statement, values)).rows;

  it('makes a customer, and finds it', async () => {
    await menu('Customers');
    const number = fakeOrganizationNumber();
    const fields = { Name: 'Fjordlys AS', 'Organisation number': number, 'E-mail': 'it@fjordlys.example' };
    // As people write it.
    const spaced = { ...fields, 'Organisation number': number.replace(/(...)(?=.)/g, '$1 ') };
    await act('Add a customer', spaced);
    await text('Fjordlys AS is added');
    // Its page opens by itself.
    await kari.page.getByRole('tab', { name: 'Overview' }).waitFor();
    await menu('Customers');
    await kari.page.getByPlaceholder('name, number, organisation number or e-mail').fill('fjordlys');
    await row('Fjordlys AS').click();
    await kari.page.getByRole('tab', { name: 'Overview' }).waitFor();
    await text('600 (default)');
    customerId = (await sql<{ id: string }>(`select id from customer where organization_number = $1`, [number]))[0]!.id;
    expect(kari.page.url()).toContain(customerId);
  });

  it('gives it a service and a token', async () => {
    await tab('Services');
    // Types that there are can be chosen; another one is typed.
    await act('Add a service', { Type: { choose: 'another one…' }, 'Other type': 'hosting', Name: 'Web server' });
    await text('The service is added');
    await row('Web server').waitFor();
    await tab('Tokens');
    // The form begins with the scopes that its services need.
    await button('Issue a token').click();
    await dialog()
      .getByLabel(/^support:write:/)
      .and(kari.page.locator(':checked'))
      .waitFor();
    await dialog().getByLabel('Purpose').fill('ERP production');
    await button('Issue a token', dialog()).click();
    token = await secret('token');
    await row('ERP production')
      .getByText('invoices:read support:read support:write status:read events:read', { exact: true })
      .waitFor();
  });

  it('posts a status event for a customer with one service, which is chosen', async () => {
    await menu('Status');
    await button('Post for one customer').click();
    await dialog().getByLabel('Customer').fill('fjordlys');
    await kari.page.getByRole('option', { name: 'Fjordlys AS' }).click();
    await dialog()
      .getByText(/^Web server \(hosting, no. \d+\)$/)
      .waitFor();
    await dialog().getByLabel('Message').fill('New address on Friday');
    await button('Post', dialog()).click();
    await text('Posted for Web server of Fjordlys AS');
    await button('End', row('New address on Friday')).click();
    await dialog().getByText('It ends now for Web server of Fjordlys AS: New address on Friday').waitFor();
    await button('End', dialog()).click();
    await text('The event has ended');
  });

  it('sets a price, and the customer’s AI', async () => {
    await menu('Prices');
    await kari.page.getByRole('button', { name: /Norwegian/ }).click();
    await act('Add a price', { 'Model,': 'claude-of-the-day', Input: '12,5', Output: '1 060' });
    await text('The price is added');
    expect(
      await sql('select input::float, output::float from ai_model_price where model = $1', ['claude-of-the-day']),
    ).toEqual([{ input: 12.5, output: 1060 }]);
    await row('claude-of-the-day').waitFor();
    await kari.open(`/customers/${customerId}/show/ai`);
    await button('Settings').click();
    await dialog().getByRole('heading', { name: 'AI settings of Fjordlys AS' }).waitFor();
    // The only model that has a price is chosen, and the form shows what it costs.
    await dialog().getByText('claude-of-the-day is the only one that has a price').waitFor();
    await dialog().getByLabel('Model').click();
    await kari.page.getByRole('option').filter({ hasText: 'none' }).click();
    await button('Store', dialog()).click();
    await dialog().getByText('Choose a model: without one every message is refused').waitFor();
    await button('Cancel', dialog()).click();
    await act('Settings', { 'Included credit': '500', 'Warnings at': '50 90' }, kari.page, 'Store');
    await text('The settings are stored');
    await text('AI credit, ');
    await text('enabled, claude-of-the-day');
    const stored = await sql('select model, credit_thresholds from ai_settings where customer_id = $1', [customerId]);
    expect(stored).toEqual([{ model: 'claude-of-the-day', credit_thresholds: [50, 90] }]);
    // What could stand between thousands is no decimal sign: somebody who writes 1.000 means a thousand.
    await act('Add credit', { 'Amount in NOK': '1.000', Why: 'Calls of 3 March' });
    await dialog().getByText('A number, such as 1 234,50').waitFor();
    expect(await dialog().getByLabel('Amount in NOK').inputValue()).toBe('1.000');
    await dialog().getByLabel('Amount in NOK').fill('12,50');
    await button('Add credit', dialog()).click();
    await text('The credit is booked');
    expect(await sql('select amount::float from ai_ledger_entry where note = $1', ['Calls of 3 March'])).toEqual([
      { amount: 12.5 },
    ]);
    await row('Calls of 3 March').waitFor();
  });

  it('keeps what it does not change of a customer’s SMS: all countries are not those of the service', async () => {
    await sql(
      `insert into sms_settings (customer_id, enabled, sender_id, countries, updated_at) values ($1, true, 'Fjordlys', '{}', now())`,
      [customerId],
    );
    await kari.open(`/customers/${customerId}/show`);
    const set = async (fields: Record<string, string>) => {
      await act('SMS settings', fields);
      await dialog().waitFor({ state: 'detached' });
    };
    await set({ 'SMS a day': '40' });
    const stored = () => sql('select daily_cap, countries from sms_settings where customer_id = $1', [customerId]);
    expect(await stored()).toEqual([{ daily_cap: 40, countries: [] }]);
    await set({ Countries: '' });
    expect(await stored()).toEqual([{ daily_cap: 40, countries: null }]);
  });

  it('approves a credit request, and rejects another', async () => {
    await sql(
      `insert into ai_credit_request (customer_id, amount_nok, note, created_at) values ($1, 700, 'one', now() - interval '1 hour'), ($1, 800, 'two', now())`,
      [customerId],
    );
    await menu('Today');
    await kari.page.getByText('Credit requests to decide').click();
    // Who waits longest is first.
    await kari.page.locator('tbody tr').first().filter({ hasText: 'one' }).waitFor();
    await button('Approve', row('one')).click();
    await dialog().getByText('Its note: one').waitFor();
    await button('Approve', dialog()).click();
    await text(/^Request \d+ is approved. Write and send its invoice AI-\d+\.$/);
    await act('Reject', { Reason: 'An invoice is overdue' }, row('two'));
    await text('is rejected');
    const decided = await sql('select note, status from ai_credit_request order by note');
    expect(decided).toEqual([
      { note: 'one', status: 'approved' },
      { note: 'two', status: 'rejected' },
    ]);
    // The menu leads to the whole list, not to those that wait.
    await menu('Credit requests');
    await row('one').getByText('approved').waitFor();
    await row('one').getByRole('link', { name: 'invoice' }).click();
    await text(/^None: this service writes none.*over 700,00 NOK, with the number AI-\d+ printed on it/);
  });

  it('tells a credit note from an invoice', async () => {
    await saveFakeInvoice(api.superuser, customerId, { source: 'fiken', type: 'credit_note', number: 'CN-7' });
    await menu('Invoices');
    await row('CN-7').getByText('credit note').waitFor();
    expect(await row('AI-').getByText('credit note').count()).toBe(0);
    await row('CN-7').click();
    await text('Id there');
    await text('credit note');
  });

  it('answers a ticket, takes it, and closes it', async () => {
    await sql(
      `insert into support_ticket (customer_id, id, title, body, resource_type, resource_id) values ($1, $2, 'No SMS', 'None came', 'order', 'A-1047')`,
      [...[customerId, randomUUID()]],
    );
    await menu('Tickets');
    await row('No SMS').getByText('No SMS').click();
    await text('None came');
    await text('About order A-1047');
    await button('Assign to me').click();
    await text('Assigned to kari');
    await act('Add a note', { Note: 'The gateway was away' });
    await text('The gateway was away');
    await text(/^Note by kari,/);
    await kari.page.getByLabel('Reply').fill('They are sent again');
    await button('Send the reply').click();
    await text('The reply is sent');
    await text('They are sent again');
    await text(/^Operator \(kari\),/);
    await button('Close the ticket').click();
    await text('The ticket is closed');
    // The newest notice is shown at once, and the act can be undone where it was done.
    expect(await kari.page.getByText('The reply is sent').count()).toBe(0);
    expect(await sql('select status from support_ticket')).toEqual([{ status: 'closed' }]);
    await button('Reopen the ticket').click();
    await text('The ticket is open again');
    await button('Close the ticket').click();
    await text('The ticket is closed');
    expect(await sql('select status from support_ticket')).toEqual([{ status: 'closed' }]);
  });

  it('posts a status event, and ends it', async () => {
    await kari.open(`/customers/${customerId}/show/status`);
    // A button for each of its services, AI too.
    await button('Post for AI').waitFor();
    await act('Post for Web server', { Message: 'Disks are slow', outage: true }, kari.page, 'Post');
    await text('Posted for Web server of Fjordlys AS');
    await row('Disks are slow').getByText('Web server').waitFor();
    await menu('Status');
    const announcement = {
      'Type of services': { choose: 'hosting: 1 service of 1 customer' },
      Message: 'New disks on Sunday',
    };
    await act('Post for all of a type', announcement, kari.page, 'Post');
    await text('Posted for 1 service of 1 customer');
    await menu('Today');
    const events = kari.page.getByRole('link', { name: /Status events that have not ended$/ });
    await events.filter({ hasText: /^2/ }).click();
    await row('New disks on Sunday').waitFor();
    await act('End', {}, row('Disks are slow'));
    await text('The event has ended');
  });

  it('asks for the passkey where an old login is not enough, and sends the form that was filled in', async () => {
    await holdPasskeys(kari);
    await kari.open('/account');
    await kari.page.getByLabel('Name of the device').fill('Laptop');
    await button('Add a passkey').click();
    await kari.page.getByRole('cell', { name: 'Laptop' }).waitFor();
    await sql('update operator_session set created_at = $1', [new Date(Date.now() - 6 * 60_000)]);
    await kari.open(`/customers/${customerId}/show/tokens`);
    await button('Issue a token').click();
    // The first input has the focus.
    await kari.page.keyboard.type('Accounting');
    await button('Only read', dialog()).click();
    // The first press asks: nothing is refused before.
    await button('Log in again with a passkey and issue a token', dialog()).click();
    expect(await secret('token')).toMatch(/^cas_live_/);
    const scopes = 'ai:read invoices:read support:read status:read sms:read events:read';
    await row('Accounting').getByText(scopes).waitFor();
    // That login is fresh for the next one, which begins with what its AI needs, too.
    await act('Issue a token', { Purpose: 'Chat' });
    await secret('token');
    await row('Chat')
      .getByText(/^ai:read ai:use ai:topup invoices:read/)
      .waitFor();
  });

  it('comes back to the list as it was filtered when the session has ended, and is warned before', async () => {
    await kari.open(`/tickets?filter=${encodeURIComponent('{"status":"closed"}')}`);
    await sql(`update operator_session set expires_at = now() + interval '9 minutes'`);
    await text(/^Your session ends at .*: send what you are writing before then/);
    await sql('update operator_session set revoked_at = now()');
    await button('Log in with a passkey').click();
    await row('No SMS').waitFor();
    expect(decodeURIComponent(kari.page.url())).toContain('/tickets?filter={"status":"closed"}');
    expect(await kari.page.getByText('Your session ends at').count()).toBe(0);
  });

  it('goes by the operator API where it takes a login for fresh that is not', async () => {
    await kari.page.route('**/operator/v1/session', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: { ...((await reply.json()) as object), fresh_for_seconds: 300 } });
    });
    await sql('update operator_session set created_at = $1', [new Date(Date.now() - 6 * 60_000)]);
    await kari.open(`/customers/${customerId}/show/ai`);
    const refused = kari.page.waitForResponse((reply) => reply.status() === 403);
    await act('Add credit', { 'Amount in NOK': '7,00061', Why: 'Late' });
    await refused;
    await dialog().getByText('Log in again: your last login is more than 5 minutes ago').waitFor();
    await button('Log in again with a passkey and add credit', dialog()).click();
    // All its digits.
    await row('Late').getByText('7,00061', { exact: true }).waitFor();
    await kari.page.unroute('**/operator/v1/session');
    expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('403')]);
  });

  it('finds why a call was refused, and whose a leaked token is', async () => {
    await sql(
      `insert into refused_request (customer_id, id, request_id, network, method, route, status, code, detail, duration_ms, created_at)
       values ($1, app.new_id(), 'request-of-fjordlys', '127.0.0.1', 'POST', '/sms/send', 403, 'insufficient_scope', 'It needs sms:send', 3, now()),
         ($1, app.new_id(), 'message-of-fjordlys', '127.0.0.1', 'POST', '/ai/messages', 403, 'ai_not_configured', 'Ask the operator', 3, now())`,
      [customerId],
    );
    await menu('Refused requests');
    await kari.page.getByLabel('Request id').fill('request-of-fjordlys');
    await button('Find').click();
    await text('It needs sms:send');
    await text('For you: A token with this scope has to be issued');
    // The next one is asked for there, also after one that nobody knows.
    for (const id of ['request-of-nobody', 'message-of-fjordlys']) {
      await kari.page.getByLabel('Request id').fill(id);
      await button('Find').click();
      if (id.endsWith('nobody')) await text('No request with the id request-of-nobody');
    }
    expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
    await text('Messages are refused, since neither the customer nor the service has a key');
    await kari.page.getByRole('link', { name: 'To its AI settings' }).click();
    await text('Every message is refused: neither the customer');
    await tab('Overview');
    await kari.page.getByRole('link', { name: 'Tokens in use: 3' }).click();
    await row('ERP production').waitFor();
    await menu('Find a token');
    await kari.page.getByLabel('Token, fingerprint or id').fill(token);
    await button('Find').click();
    await text('ERP production');
    await act('Deactivate');
    await text(', deactivated, last used');
    await kari.page.getByRole('link', { name: 'Fjordlys AS' }).click();
    await row('deactivated').waitFor();
  });

  it('adds a webhook endpoint, tests it, gives it a new secret, and deletes it', async () => {
    await kari.open(`/customers/${customerId}/show/webhooks`);
    await act('Add an endpoint', { Address: 'https://erp.fjordlys.example/hooks', 'ticket.replied': true });
    const first = await secret('secret');
    await row('https://erp.fjordlys.example/hooks').click();
    await act('Test');
    await row('webhook.test').waitFor();
    await act('New secret');
    expect([first, await secret('secret')]).toEqual([
      expect.stringMatching(/^whsec_/),
      expect.not.stringContaining(first),
    ]);
    await act('Delete');
    await text('The endpoint is deleted');
    expect(await sql('select from webhook_endpoint')).toEqual([]);
  });

  it('adds a webhook endpoint of a customer from the menu', async () => {
    await menu('Webhooks');
    await button('Add an endpoint').click();
    await dialog().getByLabel('Customer').fill('fjordlys');
    await kari.page.getByRole('option', { name: 'Fjordlys AS' }).click();
    await dialog().getByLabel('Address').fill('https://erp.fjordlys.example/second');
    // None is none; every record that there are events of is chosen before.
    expect(
      await dialog()
        .getByLabel(/:read|:manage/)
        .count(),
    ).toBe(6);
    expect(await dialog().locator('input:checked').count()).toBe(6);
    await button('None', dialog()).click();
    await button('Add an endpoint', dialog()).click();
    expect(await secret('secret')).toMatch(/^whsec_/);
    const endpoints = await sql('select customer_id, scopes from webhook_endpoint');
    expect(endpoints).toEqual([{ customer_id: customerId, scopes: [] }]);
  });

  it('invites a colleague, and deactivates the account', async () => {
    await menu('Accounts');
    await act('Invite', {
      Name: 'Ola',
      'E-mail': 'ola@example.com',
      Role: { choose: 'support: tickets, status, SMS log' },
    });
    expect(await secret('link')).toContain('/login/link?token=');
    await act('Deactivate', {}, row('ola@example.com'));
    await row('inactive').waitFor();
  });

  it('removes a passkey once that is confirmed', async () => {
    await kari.open('/account');
    await button('Remove', row('Laptop')).click();
    await dialog().getByText('Laptop logs you in no more').waitFor();
    await button('Cancel', dialog()).click();
    expect(await sql('select name from operator_passkey')).toEqual([{ name: 'Laptop' }]);
    await button('Remove', row('Laptop')).click();
    await dialog()
      .getByRole('button', { name: /remove$/i })
      .click();
    await row('Laptop').waitFor({ state: 'detached' });
    expect(await sql('select name from operator_passkey')).toEqual([]);
  });
});
