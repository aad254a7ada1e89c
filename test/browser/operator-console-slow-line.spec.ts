import type { Page } from 'playwright-core';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, visitConsole } from '@test/operator-console';

/** How long a list waits for more of a search before it becomes part of the address, in milliseconds. */
const SEARCH_DELAY_MS = 500;
/** How long the console waits before it asks for code again. */
const RETRY_MS = 2_000;
/** The code of a customer's page. */
const CODE = '**/customer-page-*.js';

/** Holds back the code of a customer's page. @returns a promise for the first request for it, and what lets it go */
async function holdBackCode(page: Page): Promise<{ asked: Promise<unknown>; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  await page.route(CODE, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return {
    asked: page.waitForRequest(CODE),
    release: () => gate.resolve(),
  };
}

describe("The operator's console on a slow line", () => {
  let api: TestOperatorApi;
  let kari: ConsoleVisitor;
  let customerId: string;
  beforeAll(async () => {
    api = await startOperatorApi();
    customerId = (await saveFakeCustomer(api.superuser, { name: 'Fjordlys AS' })).id;
    kari = await visitConsole(api);
    await kari.page.clock.install();
    await kari.logIn('support');
  }, 90_000);
  afterAll(async () => {
    await kari.stop();
    await api.stop();
  });
  // A page of its own each time, which has not yet any code but that of the first page.
  beforeEach(async () => {
    await kari.page.unrouteAll({ behavior: 'ignoreErrors' });
    await kari.page.goto('about:blank');
    await kari.open('/customers');
  });
  afterEach(() => expect(kari.complaints).toEqual([]));

  const customer = () => kari.page.getByRole('cell', { name: 'Fjordlys AS' });
  const search = (text: string) => kari.page.getByPlaceholder('name, number, organisation number or e-mail').fill(text);
  const expectCustomerPage = async () => {
    await kari.page.getByRole('tab', { name: 'Overview' }).waitFor();
    expect(kari.page.url()).toContain(`/customers/${customerId}/show`);
  };

  it('shows the customer that was clicked right after a search was typed, when its page has come', async () => {
    const code = await holdBackCode(kari.page);
    await search('fjord');
    await customer().click();
    await code.asked;
    await kari.page.clock.fastForward(2 * SEARCH_DELAY_MS);
    code.release();
    await expectCustomerPage();
  });

  it('shows at once that the page of a customer is on its way', async () => {
    const code = await holdBackCode(kari.page);
    await customer().click();
    await code.asked;
    await customer().waitFor({ state: 'detached' });
    code.release();
    await expectCustomerPage();
  });

  it('shows the page of a customer whose code was lost on its way', async () => {
    await kari.page.route(CODE, (route) => route.abort('connectionreset'), { times: 1 });
    await customer().click();
    await expectCustomerPage();
    expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('ERR_CONNECTION_RESET')]);
  });

  it('shows the page of a customer whose code did not come when the service is back', async () => {
    const away = ({ pathname }: URL) => pathname.startsWith('/operator/v1/') || pathname.includes('/customer-page-');
    await kari.page.route(away, (route) => route.abort('connectionrefused'));
    const askedWhetherThere = () => kari.page.waitForRequest('**/login/methods');
    await Promise.all([askedWhetherThere(), customer().click()]);
    await Promise.all([askedWhetherThere(), kari.page.clock.fastForward(RETRY_MS)]);
    await kari.page.unroute(away);
    await kari.page.clock.fastForward(RETRY_MS);
    await expectCustomerPage();
    expect(new Set(kari.complaints.splice(0).map((text) => /ERR_\w+/.exec(text)?.[0]))).toEqual(
      new Set(['ERR_CONNECTION_REFUSED']),
    );
  });
});
