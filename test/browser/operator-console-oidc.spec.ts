import { saveFakeCustomer } from '@test/factories/customer.factory';
import { startIdentityProvider, type TestIdentityProvider } from '@test/identity-provider';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, visitConsole } from '@test/operator-console';

describe("The operator's console with an identity provider", () => {
  let api: TestOperatorApi;
  let provider: TestIdentityProvider;
  let kari: ConsoleVisitor;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    api = await startOperatorApi(provider.settings);
    kari = await visitConsole(api);
  }, 120_000);
  afterAll(async () => {
    await kari.stop();
    provider.stop();
    await api.stop();
  });

  const logInAtProvider = async () => {
    await kari.page.getByPlaceholder('Enter any login').fill('kari');
    await kari.page.getByPlaceholder('and password').fill('any');
    await kari.page.getByRole('button', { name: 'Sign-in' }).click();
  };
  const customers = () => kari.page.getByRole('menuitem', { name: 'Customers' });

  it('logs in there, and again before money is moved', async () => {
    await kari.page.goto(`${api.origin}/`);
    await kari.page.getByRole('button', { name: 'Log in with Fjord ID' }).click();
    await logInAtProvider();
    await kari.page.getByRole('button', { name: 'Continue' }).click();
    await customers().waitFor();
    await api.superuser.query(`update operator_session set created_at = created_at - interval '6 minutes'`);

    const { id } = await saveFakeCustomer(api.superuser);
    const addCredit = async () => {
      await kari.open(`/customers/${id}/show/ai`);
      await kari.page.getByRole('button', { name: 'Add credit' }).click();
      await kari.page.getByLabel('Amount in NOK').fill('12.50');
      await kari.page.getByLabel('Why').fill('Calls of 3 March');
      await kari.page.getByRole('dialog').getByRole('button', { name: 'Add credit' }).click();
    };
    await addCredit();
    await kari.page.getByRole('button', { name: 'Log in again with Fjord ID' }).click();
    await logInAtProvider();
    await customers().waitFor();
    await addCredit();
    await kari.page.getByText('The credit is booked').waitFor();
    const { rows } = await api.superuser.query(
      `select actor from audit_log where customer_id = $1 and action = 'ai.credit'`,
      [id],
    );
    expect(rows).toEqual([{ actor: 'operator:kari' }]);
    // The provider's pages ask for fonts that are not there, and the console for a fresh login.
    expect(kari.complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });
});
