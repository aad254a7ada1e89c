import type { Page } from 'playwright-core';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { startIdentityProvider, type TestIdentityProvider } from '@test/identity-provider';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, visitConsole } from '@test/operator-console';

const AGAIN = 'Log in again with Fjord ID and add credit';

describe("The operator's console with an identity provider", () => {
  let api: TestOperatorApi;
  let provider: TestIdentityProvider;
  let kari: ConsoleVisitor;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    api = await startOperatorApi(provider.settings);
    kari = await visitConsole(api);
  }, 240_000);
  afterAll(async () => {
    await kari.stop();
    provider.stop();
    await api.stop();
  });

  const logInAtProvider = async (page: Page, name = 'kari') => {
    await page.getByPlaceholder('Enter any login').fill(name);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
  };
  const customers = () => kari.page.getByRole('menuitem', { name: 'Customers' });

  /** The window that the dialog's button opens, with the provider's page. */
  const loginWindow = async (within: Page = kari.page) => {
    const opened = kari.browser.waitForEvent('page');
    await within.getByRole('button', { name: AGAIN, exact: true }).click();
    const page = await opened;
    await page.getByPlaceholder('Enter any login').waitFor();
    return page;
  };
  const credits = async () =>
    (await api.superuser.query<object>(`select actor from audit_log where action = 'ai.credit' order by id`)).rows;
  const age = () => api.superuser.query(`update operator_session set created_at = created_at - interval '6 minutes'`);

  it('logs in there, and again in a window of its own before money is moved: the form stays, and is sent', async () => {
    await kari.page.goto(`${api.origin}/`);
    await kari.page.getByRole('button', { name: 'Log in with Fjord ID' }).click();
    await logInAtProvider(kari.page);
    await kari.page.getByRole('button', { name: 'Continue' }).click();
    await customers().waitFor();
    await age();

    const { id } = await saveFakeCustomer(api.superuser);
    await fillIn(id);
    const login = await loginWindow();
    await kari.page.getByText('Log in in the other window').waitFor();
    expect(await login.evaluate('window.opener')).toBeNull();
    await logInAtProvider(login);
    await kari.page.getByText('The credit is booked').waitFor();
    expect(await credits()).toEqual([{ actor: 'operator:kari' }]);
    if (!login.isClosed()) await login.waitForEvent('close');
    expectNoComplaints();
  });

  it('offers nobody a passkey, which would log nobody in', async () => {
    await kari.open('/account');
    await kari.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    await kari.page.getByText('kari.nordmann@example.com, role billing').waitFor();
    expect(await kari.page.getByText(/add a passkey/i).count()).toBe(0);
    const link = await kari.browser.newPage();
    await link.goto(`${api.origin}/#/login/link?token=x`);
    await link.getByText('The link logs you in once.').waitFor();
    expect(await link.getByText(/passkey/i).count()).toBe(0);
    await link.close();
    expectNoComplaints();
  });

  it('keeps the form of a person who goes back without a login, and forgets it if another person logs in', async () => {
    await age();
    const { id } = await saveFakeCustomer(api.superuser);
    await fillIn(id);
    await (await loginWindow()).close();
    const login = await loginWindow();
    expect(await kari.page.getByLabel('Amount in NOK').inputValue()).toBe('12.50');
    await logInAtProvider(login, 'ola');
    await login.getByRole('button', { name: 'Continue' }).click();
    await kari.page.getByRole('dialog').waitFor({ state: 'detached' });
    await kari.page.getByRole('button', { name: 'ola' }).waitFor();
    expect(await credits()).toHaveLength(1);
    expectNoComplaints();
  });

  it('says in the window why a login failed', async () => {
    await age();
    const { id } = await saveFakeCustomer(api.superuser);
    await fillIn(id);
    const login = await loginWindow();
    await logInAtProvider(login, 'guest');
    await login.getByRole('button', { name: 'Continue' }).click();
    await login.getByText('gives you no role').waitFor();
    expect(await kari.page.getByLabel('Amount in NOK').inputValue()).toBe('12.50');
    expect(await credits()).toHaveLength(1);
    expectNoComplaints();
  });

  it('sends no form whose login was given up when its person logs in for another one, in another tab', async () => {
    const [given, sent] = [await saveFakeCustomer(api.superuser), await saveFakeCustomer(api.superuser)];
    await age();
    await fillIn(given.id);
    await (await loginWindow()).close();
    const other = await kari.browser.newPage();
    await other.goto(`${api.origin}/#/customers/${sent.id}/show/ai`);
    await other.getByRole('button', { name: 'Add credit' }).click();
    await other.getByLabel('Amount in NOK').fill('7');
    await other.getByLabel('Why').fill('Calls of 4 March');
    const login = await loginWindow(other);
    await logInAtProvider(login, 'ola');
    await login.getByRole('button', { name: 'Continue' }).click();
    await other.getByText('The credit is booked').waitFor();
    await other.close();
    await kari.settled();
    const booked = 'select customer_id from ai_ledger_entry where customer_id = any($1)';
    const { rows } = await api.superuser.query(booked, [[given.id, sent.id]]);
    expect(rows).toEqual([{ customer_id: sent.id }]);
    expect(await kari.page.getByLabel('Amount in NOK').inputValue()).toBe('12.50');
    // The other login has taken the place of this one's: it is not waited for any more.
    await kari.page.getByText('Log in in the other window').waitFor({ state: 'hidden' });
    expectNoComplaints();
  });

  async function fillIn(customerId: string): Promise<void> {
    await kari.open(`/customers/${customerId}/show/ai`);
    await kari.page.getByRole('button', { name: 'Add credit' }).click();
    await kari.page.getByLabel('Amount in NOK').fill('12.50');
    await kari.page.getByLabel('Why').fill('Calls of 3 March');
  }

  function expectNoComplaints(): void {
    // The provider's pages ask for fonts that are not there; the console is refused nothing.
    const complaints = kari.complaints.splice(0);
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    expect(complaints.filter((text) => text.includes('403'))).toEqual([]);
  }
});
