import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { OperatorAccountsService, type OperatorRole } from '@platform/operator-accounts';
import { startBrowser } from '@test/browser';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';

const AXE = readFileSync(join('apps', 'operator-console', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
/** Pictures of every screen, for people to look at. */
const PICTURES = process.env.CONSOLE_PICTURES ?? join('coverage', 'console');

/** What axe found. */
interface AxeResults {
  violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
}

/** A name that wants to be a script, and to be read from the right. */
const HOSTILE_NAME = '<img src=x onerror="window.stolen=1"> \u202egnp.exe';

const SCREENS = {
  Today: '/',
  Customers: '/customers',
  'Credit requests': '/credit-requests',
  Tickets: '/tickets',
  Status: '/status-events',
  Invoices: '/invoices',
  Prices: '/prices',
  SMS: '/sms',
  'Refused requests': '/requests',
  'Find a token': '/tokens',
  Audit: '/audit',
  Events: '/events',
  Accounts: '/accounts',
  Installation: '/installation',
  'Passkeys and sessions': '/account',
} as const;

describe("The operator's console in a browser", () => {
  let api: TestOperatorApi;
  let stopBrowser: () => Promise<void>;
  let browser: BrowserContext;
  let page: Page;
  let customerId: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    api = await startOperatorApi();
    ({ browser, stop: stopBrowser } = await startBrowser({ viewport: { width: 1280, height: 800 } }));
    customerId = (await saveFakeCustomer(api.superuser, { name: HOSTILE_NAME })).id;
    await api.superuser.query(
      `insert into ai_credit_request (customer_id, amount_nok, note, status, created_at)
       select $1, 5000 + n, 'For the campaign ' || n, 'pending', now() - n * interval '1 hour' from generate_series(1, 30) n`,
      [customerId],
    );
    page = await openPage();
  }, 90_000);

  afterAll(async () => {
    await stopBrowser();
    await api.stop();
  });

  /** A page whose complaints fail the test: errors of scripts, and what the content security policy refused. */
  async function openPage(): Promise<Page> {
    const opened = await browser.newPage();
    opened.on('console', (message) => {
      // A reply of 401 is how a page learns that nobody is logged in.
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
    return opened;
  }

  async function invite(role: OperatorRole, email = `${role}@example.com`): Promise<string> {
    const { link } = await api.app.get(OperatorAccountsService).invite('operator:test', { email, role });
    return new URL(link.replace('/#', '')).searchParams.get('token') ?? '';
  }

  async function logIn(role: OperatorRole): Promise<void> {
    await browser.clearCookies();
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login/link?token=${await invite(role)}`);
    await page.getByRole('button', { name: 'Log in with this link' }).click();
    await page.getByRole('heading', { name: 'Passkeys', exact: true }).waitFor();
  }

  const open = async (path: string) => {
    await page.goto(`${api.origin}/#${path}`);
    await page.locator('main, #main-content').first().waitFor();
  };

  beforeEach(() => {
    complaints.length = 0;
  });
  afterEach(() => {
    expect(complaints).toEqual([]);
  });

  it('sends nobody in who is not logged in', async () => {
    await page.goto(`${api.origin}/`);
    await page.getByRole('heading', { name: 'Operator console' }).waitFor();
    expect(page.url()).toContain('/login');
  });

  it('logs in by a link once, then by a passkey that was added', async () => {
    const token = await invite('admin', 'first@example.com');
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login/link?token=${token}`);
    await page.getByRole('button', { name: 'Log in with this link' }).click();
    await page.getByRole('heading', { name: 'Passkeys', exact: true }).waitFor();

    const device = await browser.newCDPSession(page);
    await device.send('WebAuthn.enable');
    await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.getByLabel('Name of the device').fill('Test laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('cell', { name: 'Test laptop' }).waitFor();

    await browser.clearCookies();
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login`);
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await page.getByRole('menuitem', { name: 'Customers' }).first().waitFor();

    await browser.clearCookies();
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login/link?token=${token}`);
    await page.getByRole('button', { name: 'Log in with this link' }).click();
    await page.getByText('The link was used').waitFor();
    complaints.length = 0;
  });

  it('shows every screen, on a desk and on a phone, light and dark, with nothing that axe finds serious', async () => {
    await logIn('admin');
    const found: string[] = [];
    for (const [name, path] of Object.entries({ ...SCREENS, Customer: `/customers/${customerId}/show` })) {
      await open(path);
      await page.waitForLoadState('networkidle');
      await page.evaluate(AXE);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical')
          found.push(`${name}: ${id} ${nodes.map(({ target }) => target.join(' ')).join('; ')}`);
      for (const [width, scheme] of [
        [1280, 'light'],
        [1280, 'dark'],
        [390, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.screenshot({ path: join(PICTURES, `${name.replaceAll(' ', '-')}-${width}-${scheme}.png`) });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    expect(found).toEqual([]);
  }, 240_000);

  it('shows a hostile name as text', async () => {
    await open('/customers');
    await page.getByText('<img src=x onerror="window.stolen=1"').first().waitFor();
    expect(await page.evaluate(`'stolen' in window`)).toBe(false);
    expect(await page.content()).not.toContain('\u202e');
  });

  it('approves a credit request by the keyboard alone', async () => {
    await logIn('billing');
    await open('/credit-requests');
    await page.getByRole('button', { name: 'Approve' }).first().waitFor();
    for (let presses = 0; presses < 200; presses++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === 'Approve') break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('K-1');
    await page.keyboard.press('Enter');
    await page.getByText('is approved').waitFor({ timeout: 10_000 });
    const { rows } = await api.superuser.query(
      `select count(*)::int as count from ai_credit_request where status = 'approved'`,
    );
    expect(rows[0].count).toBe(1);
  });

  it('offers a viewer no changes', async () => {
    await logIn('viewer');
    await open('/credit-requests');
    await page.getByText('For the campaign 7').first().waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});
