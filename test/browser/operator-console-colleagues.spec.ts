import { randomBytes, randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, holdPasskeys, inviteToConsole, visitConsole } from '@test/operator-console';

describe("The operator's console beside colleagues", () => {
  let api: TestOperatorApi;
  let kari: ConsoleVisitor;
  let customerId: string;
  beforeAll(async () => {
    api = await startOperatorApi({ SECRETS_KEY: randomBytes(32).toString('base64') });
    kari = await visitConsole(api);
  }, 240_000);
  beforeEach(async () => {
    customerId = (await saveFakeCustomer(api.superuser, { name: 'Fjordlys AS' })).id;
    await kari.logIn('admin', 'kari');
  });
  afterAll(async () => {
    await kari.stop();
    await api.stop();
  });
  afterEach(() => expect(kari.complaints.splice(0)).toEqual([]));

  const button = (name: string, within: Pick<Locator, 'getByRole'> = kari.page) =>
    within.getByRole('button', { name, exact: true }).first();
  const dialog = () => kari.page.getByRole('dialog');
  const text = (shown: string | RegExp) => kari.page.getByText(shown).first().waitFor();
  const row = (shown: string) => kari.page.locator('tr').filter({ hasText: shown }).first();
  const sql = async <Row extends object>(statement: string, values: unknown[] = [customerId]) =>
    (await api.superuser.query<Row>(statement, values)).rows;
  const tab = (name: string) => kari.open(`/customers/${customerId}/show${name === '' ? '' : `/${name}`}`);
  const stored = (columns: string, table: string) => sql(`select ${columns} from ${table} where customer_id = $1`);

  /** Opens a form; then a colleague stores something, before a field is filled in and the form is sent. */
  async function change(
    name: string,
    colleague: string,
    fields: Record<string, string>,
    { within = kari.page, confirm = name }: { within?: Pick<Locator, 'getByRole'>; confirm?: string } = {},
  ): Promise<void> {
    await button(name, within).click();
    await dialog().waitFor();
    await sql(colleague);
    for (const [label, value] of Object.entries(fields)) await dialog().getByLabel(label).first().fill(value);
    await button(confirm, dialog()).click();
    await dialog().waitFor({ state: 'detached' });
  }

  describe('sends of a form only what was changed in it, so that what they store meanwhile stays:', () => {
    it('details and limits of a customer, whose page is read again', async () => {
      await tab('');
      await change('Change', `update customer set name = 'Fjordlys Drift AS' where id = $1`, {
        'E-mail': 'ny@fjordlys.example',
      });
      await change('Limits', `update customer set sms_per_minute = 7 where id = $1`, { 'Requests per minute': '900' });
      const changed = await sql('select name, email, requests_per_minute, sms_per_minute from customer where id = $1');
      expect(changed).toEqual([
        { name: 'Fjordlys Drift AS', email: 'ny@fjordlys.example', requests_per_minute: 900, sms_per_minute: 7 },
      ]);
      await sql(`update customer set name = 'Fjordlys Vest AS' where id = $1`);
      await kari.page.getByRole('heading', { name: 'Fjordlys Vest AS' }).first().waitFor();
    });

    it('SMS settings', async () => {
      await sql(
        `insert into sms_settings (customer_id, enabled, sender_id, daily_cap, updated_at) values ($1, true, 'Fjordlys', 40, now())`,
      );
      await tab('');
      await change('SMS settings', 'update sms_settings set enabled = false, daily_cap = 10 where customer_id = $1', {
        'Parts of SMS a day': '80',
      });
      expect(await stored('enabled, sender_id, daily_cap, daily_parts_cap', 'sms_settings')).toEqual([
        { enabled: false, sender_id: 'Fjordlys', daily_cap: 10, daily_parts_cap: 80 },
      ]);
    });

    it('AI settings', async () => {
      await enableAi(api.superuser, customerId, { model: await saveModelPrice(api.superuser), included: 5 });
      await tab('ai');
      const colleague = 'update ai_settings set enabled = false, total_limit = 900 where customer_id = $1';
      await change('Settings', colleague, { 'Warnings at': '50' }, { confirm: 'Store' });
      expect(await stored('enabled, total_limit::float, credit_thresholds', 'ai_settings')).toEqual([
        { enabled: false, total_limit: 900, credit_thresholds: [50] },
      ]);
    });

    it('services', async () => {
      await saveFakeService(api.superuser, customerId, { name: 'Web server', config: { disk_gb: 50 } });
      await tab('services');
      const colleague = `update customer_service set status = 'suspended', config = '{"disk_gb": 80}' where customer_id = $1`;
      await change('Change', colleague, { Name: 'Web hosting' }, { within: row('Web server') });
      expect(await stored('name, status, config', 'customer_service')).toEqual([
        { name: 'Web hosting', status: 'suspended', config: { disk_gb: 80 } },
      ]);
    });

    it('settings of a service, which are replaced as a whole: the form is refused', async () => {
      const config = { monthly_included_nok: 100 };
      await saveFakeService(api.superuser, customerId, { name: 'AI', type: 'ai', config });
      await tab('services');
      await button('Change', row('AI')).click();
      await button('Settings for programs', dialog()).click();
      await sql(
        `update customer_service set config = '{"monthly_included_nok": 500}', updated_at = now() where customer_id = $1`,
      );
      await dialog().getByLabel('A JSON object').fill('{"monthly_included_nok": 100, "plan": "small"}');
      await button('Change', dialog()).click();
      await dialog().getByText('Meanwhile the service was changed: read it again').waitFor();
      await button('Cancel', dialog()).click();
      expect(await stored('config', 'customer_service')).toEqual([{ config: { monthly_included_nok: 500 } }]);
      expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    });

    it('webhook endpoints', async () => {
      const endpoint = randomUUID();
      await sql(
        `insert into webhook_endpoint (customer_id, id, url, description, scopes, secret_ciphertext, created_at, updated_at)
         values ($1, $2, 'https://erp.example.com/hooks', 'ERP', '{}', '\\x00', now(), now())`,
        [customerId, endpoint],
      );
      await kari.open(`/webhook-endpoints/${endpoint}/show`);
      const colleague = `update webhook_endpoint set url = 'https://erp.example.com/new', event_types = '{ai.credit.low}' where customer_id = $1`;
      await change('Change', colleague, { Description: 'Accounting' });
      expect(await stored('url, description, event_types', 'webhook_endpoint')).toEqual([
        { url: 'https://erp.example.com/new', description: 'Accounting', event_types: ['ai.credit.low'] },
      ]);
    });
  });

  it('sets up no AI over that which a colleague has set up meanwhile', async () => {
    const model = await saveModelPrice(api.superuser);
    await tab('ai');
    await button('Settings').click();
    await dialog().getByLabel('Model').click();
    await kari.page.getByRole('option', { name: model }).click();
    await enableAi(api.superuser, customerId, { model, included: 500 });
    await button('Store', dialog()).click();
    await dialog().getByText('Meanwhile the AI of this customer was changed').waitFor();
    expect(await stored('action', 'audit_log')).toEqual([]);
    await button('Cancel', dialog()).click();
    await text('AI credit, ');
  });

  describe('about a credit request that a colleague has decided meanwhile', () => {
    const APPROVED_BY_OLA = `with one as (
        insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date)
        values ($1, gen_random_uuid(), 'manual', 'credit-request:' || $2, 'O-' || $2, 'open', 'NOK', 50000, 50000, current_date)
        returning id)
      update ai_credit_request r set status = 'approved', decided_by = 'operator:ola', decided_at = now(), invoice_id = one.id
      from one where r.customer_id = $1 and r.id = $2::integer`;
    const REJECTED_BY_OLA = `update ai_credit_request
      set status = 'rejected', decided_by = 'operator:ola', decided_at = now(), reason = 'No contract'
      where customer_id = $1 and id = $2::integer`;

    /** Opens the form of a decision; then a colleague decides. */
    async function decide(name: string, colleague: string): Promise<number> {
      const asked = `insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 500, now()) returning id`;
      const [request] = await sql<{ id: number }>(asked);
      await tab('credit-requests');
      await button(name).click();
      await dialog().waitFor();
      await sql(colleague, [customerId, String(request!.id)]);
      return request!.id;
    }

    it('names its invoice, and refuses a second number', async () => {
      const id = await decide('Approve', APPROVED_BY_OLA);
      const number = dialog().getByLabel('Number printed on the invoice');
      await number.fill(`K-${id}`);
      await button('Approve', dialog()).click();
      await dialog().getByText(`operator:ola has approved it with the invoice number O-${id}, not K-${id}`).waitFor();
      expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
      await number.fill('');
      await button('Approve', dialog()).click();
      await text(`operator:ola had approved request ${id}, with the invoice O-${id}: write no second invoice.`);
      expect(await stored('number', 'invoice')).toEqual([{ number: `O-${id}` }]);
    });

    it('says whose reason the customer reads', async () => {
      const id = await decide('Reject', REJECTED_BY_OLA);
      await dialog().getByLabel('Reason').fill('An invoice is overdue');
      await button('Reject', dialog()).click();
      await text(
        `operator:ola had rejected request ${id}, and your reason is not kept. The customer reads: No contract`,
      );
      expect(await stored('reason', 'ai_credit_request')).toEqual([{ reason: 'No contract' }]);
    });
  });

  it('says so, and sends nothing, if nothing was changed', async () => {
    await tab('');
    await button('Change').click();
    await button('Change', dialog()).click();
    await text('Nothing was changed');
    expect(await stored('action', 'audit_log')).toEqual([]);
  });

  it('takes emptied fields for what they say, or refuses them', async () => {
    const { id: token } = await saveFakeToken(api.superuser, customerId, { name: 'Accounting' });
    await sql(
      `insert into sms_settings (customer_id, enabled, sender_id, updated_at) values ($1, true, 'Fjordlys', now())`,
    );
    await tab('tokens');
    await button('Rotate', row('Accounting')).click();
    await dialog().getByLabel('Hours for which').fill('');
    await button('Rotate', dialog()).click();
    await kari.page.locator('[data-secret=token]').waitFor();
    await button('Close', dialog()).click();
    const hours =
      'select round(extract(epoch from expires_at - now()) / 3600)::int as hours from service_token where id = $1';
    expect(await sql(hours, [token])).toEqual([{ hours: 24 }]);

    await saveFakeService(api.superuser, customerId, { name: 'Web server', config: { disk_gb: 50 } });
    await tab('services');
    await button('Change', row('Web server')).click();
    await button('Settings for programs', dialog()).click();
    await dialog().getByLabel('A JSON object').fill('');
    await button('Change', dialog()).click();
    await text('The service is changed');
    expect(await stored('config', 'customer_service')).toEqual([{ config: {} }]);

    await tab('');
    await button('SMS settings').click();
    await dialog().getByLabel('Sender').fill('');
    await button('SMS settings', dialog()).click();
    await dialog().getByText('It cannot be removed').waitFor();
    await button('Cancel', dialog()).click();
  });

  it('takes back the price of the day that it shows', async () => {
    await kari.open('/prices');
    await button('Add a price').click();
    const fields = { 'Model,': 'claude-to-come', Input: '12', Output: '60', 'First day': '2099-02-01' };
    for (const [label, value] of Object.entries(fields)) await dialog().getByLabel(label).first().fill(value);
    await button('Add a price', dialog()).click();
    await button('Withdraw', row('claude-to-come')).click();
    await dialog().getByText('would begin on 1 February 2099').waitFor();
    await button('Withdraw', dialog()).click();
    await text('The price is withdrawn');
    expect(await sql('select from ai_model_price where model = $1', ['claude-to-come'])).toEqual([]);
  });

  it('has what the role of its person may read, also when an admin has changed it meanwhile', async () => {
    const item = (name: string) => kari.page.getByRole('menuitem', { name, exact: true });
    await kari.logIn('viewer', 'nora');
    await tab('');
    await item('Audit').waitFor();
    expect([await item('Accounts').count(), await item('SMS').count()]).toEqual([0, 0]);
    expect(await kari.page.getByRole('tab', { name: 'SMS' }).count()).toBe(0);
    await sql(`update operator_account set role = 'admin' where name = 'nora'`, []);
    await item('Accounts').waitFor();
    await item('SMS').waitFor();
    await kari.page.getByRole('tab', { name: 'SMS' }).waitFor();
    await button('Deactivate').waitFor();
  });

  it('stays, and says so, as long as the service does not say that the session has ended', async () => {
    const sessions = () =>
      sql<{ open: number }>(
        `select count(*)::int as open from operator_session s join operator_account a on a.id = s.account_id
         where a.email = 'leaver@example.com' and s.revoked_at is null`,
        [],
      );
    const logOut = async () => {
      await button('leaver').click();
      await kari.page.getByRole('menuitem', { name: 'Logout' }).click();
    };
    await kari.logIn('admin', 'leaver');
    let tried = 0;
    await kari.page.route('**/operator/v1/logout', (route) => {
      tried++;
      return route.abort();
    });
    await logOut();
    await text('You are still logged in');
    expect([tried, await sessions()]).toEqual([2, [{ open: 1 }]]);
    await kari.page.unroute('**/operator/v1/logout');
    await kari.page.route('**/operator/v1/logout', (route) => (tried++ === 2 ? route.abort() : route.continue()));
    await logOut();
    await button('Log in with a passkey').waitFor();
    expect(await sessions()).toEqual([{ open: 0 }]);
    await kari.page.unroute('**/operator/v1/logout');
    expect(kari.complaints.splice(0).filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([]);
  });

  describe('sends nothing that one person has begun for another one who has logged in beside:', () => {
    /** Logs in in another window of the same browser. */
    async function logInBeside(name: string): Promise<void> {
      const token = await inviteToConsole(api, 'admin', `${name}@example.com`);
      const page = await kari.browser.newPage();
      await page.goto(`${api.origin}/#/login/link?token=${token}`);
      await page.getByRole('button', { name: 'Log in with this link' }).click();
      await page.getByRole('heading', { name: 'Passkeys', exact: true }).waitFor();
      await page.close();
    }

    it('a form', async () => {
      await tab('');
      await button('Change').click();
      await dialog().getByLabel('Name').fill('Fjordlys Drift AS');
      await logInBeside('ola');
      await button('Change', dialog()).click();
      await button('ola').waitFor();
      await dialog().waitFor({ state: 'detached' });
      expect(await sql('select name from customer where id = $1')).toEqual([{ name: 'Fjordlys AS' }]);
    });

    it('a reply', async () => {
      const ticket = randomUUID();
      await sql(`insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'No SMS', 'None came')`, [
        ...[customerId, ticket],
      ]);
      await kari.open(`/tickets/${ticket}/show`);
      await kari.page.getByLabel('Reply').fill('They are sent again');
      await logInBeside('ola');
      await button('Send the reply').click();
      await button('ola').waitFor();
      expect(await stored('body', 'support_ticket_reply')).toEqual([]);
    });

    it('a click', async () => {
      const values = [customerId, randomUUID()];
      await sql(`insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'No SMS', 'None')`, values);
      await kari.open(`/tickets/${values[1]}/show`);
      await logInBeside('ola');
      await button('Assign to me').click();
      await button('ola').waitFor();
      expect(await stored('ticket_id', 'support_ticket_assignment')).toEqual([]);
    });

    it('a passkey', async () => {
      await holdPasskeys(kari);
      await kari.open('/account');
      await kari.page.getByLabel('Name of the device').fill("Kari's laptop");
      await logInBeside('ola');
      await button('Add a passkey').click();
      await button('ola').waitFor();
      expect(await sql('select name from operator_passkey', [])).toEqual([]);
    });
  });
});
