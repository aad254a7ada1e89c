import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { csvRecord } from '@platform/csv';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, holdPasskeys, inviteToConsole, visitConsole } from '@test/operator-console';

const AXE = readFileSync(join('apps', 'operator-console', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
/** Pictures of every screen, for people to look at. */
const PICTURES = process.env.CONSOLE_PICTURES ?? join('coverage', 'console');

/** What axe found. */
interface AxeResults {
  violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
}

/** The layout follows the width a moment later, in milliseconds: at first, and after a picture. */
const PATIENCE_MS = [3000, 12_000];

const FITS = 'document.documentElement.scrollWidth <= innerWidth';

/** What is taken out of the flow, such as a text for readers of screens, makes the page no longer. */
const ENDS_WITH_CONTENT =
  'document.documentElement.scrollHeight <= Math.max(innerHeight, document.body.offsetHeight) + 1';

/** Names of tabs that one sees only after scrolling. */
const TABS_BESIDE = `[...document.querySelectorAll('[role=tab]')]
  .filter((tab) => tab.getBoundingClientRect().left < 0 || tab.getBoundingClientRect().right > innerWidth)
  .map(({ textContent }) => textContent)`;

/** Widths and colours of the pictures. */
const PICTURED = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
] as const;

/** A name that wants to be a script, and to be read from the right. */
const HOSTILE_NAME = '<img src=x onerror="window.stolen=1"> \u202egnp.exe';

const SCREENS = {
  Today: '/',
  Customers: '/customers',
  'Credit requests': '/credit-requests',
  Tickets: '/tickets',
  Status: '/status-events',
  Ticket: '/tickets/00000000-0000-4000-8000-000000000001/show',
  Invoices: '/invoices',
  'Invoice syncs': '/invoice-syncs',
  'AI accounting': '/accounting',
  Prices: '/prices',
  SMS: '/sms',
  'Refused requests': '/requests',
  'Find a token': '/tokens',
  Audit: '/audit',
  Events: '/events',
  Webhooks: '/webhook-endpoints',
  'Webhook endpoint': '/webhook-endpoints/00000000-0000-4000-8000-000000000002/show',
  Accounts: '/accounts',
  Installation: '/installation',
  'Passkeys and sessions': '/account',
} as const;

/** Records on every screen: long texts, many rows, every state. */
const RECORDS = `
  insert into customer (id, name, organization_number, customer_number, email, created_at)
    select gen_random_uuid(), 'Nordlandets Forenede Tømmerfløteri og Sagbruksforening avdeling ' || n, '974760673', 'N' || n,
      'kundeservice.og.fakturamottak' || n || '@nordlandets-forenede.example', now() - interval '1 year' from generate_series(1, 30) n;
  insert into ai_credit_request (customer_id, amount_nok, note, reference, status, created_at)
    select $customer, 5000 + n, 'For the campaign ' || n, 'PO-2026-' || n, 'pending', now() - n * interval '1 hour' from generate_series(1, 30) n;
  insert into support_ticket (customer_id, id, title, body, status, priority, created_at)
    select $customer, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'The delivery report of ' || n || ' SMS has not come since yesterday',
      repeat('We sent them in the evening, and nobody has got one. ', 5), (array['open', 'pending', 'resolved', 'closed'])[1 + n % 4],
      (array['low', 'normal', 'high', 'urgent'])[1 + n % 4], now() - n * interval '1 hour' from generate_series(1, 12) n;
  insert into support_ticket_reply (customer_id, id, ticket_id, author, body)
    select customer_id, gen_random_uuid(), id, 'operator', 'We look into it.' from support_ticket;
  insert into customer_service (customer_id, type, name, status) select $customer, 'hosting', 'Web server ' || n, 'active' from generate_series(1, 3) n;
  insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date, due_date)
    select $customer, gen_random_uuid(), 'manual', 'order-' || n, '2026-' || n, (array['draft', 'open', 'paid', 'uncollectible'])[1 + n % 4], 'NOK',
      125050000 * n, 125050000 * n, current_date - 40, current_date - n from generate_series(1, 12) n;
  insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway, error_code)
    select $customer, app.new_id(), '+479000000' || n, 'Nordlandets', repeat('The power comes back at noon. ', 10),
      (array['unknown', 'accepted', 'sent', 'failed', 'delivered'])[1 + n % 5], 2, 'GSM-7', 'sandbox', case when n % 5 = 3 then 'UNKNOWN_SUBSCRIBER' end
    from generate_series(1, 9) n;
  insert into webhook_endpoint (customer_id, id, url, event_types, description, scopes, secret_ciphertext, created_at, updated_at)
    select case when n = 3 then '00000000-0000-0000-0000-000000000000' else $customer end::uuid,
      ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'https://erp.fjordlys.example/integrations/account/webhooks/' || n,
      case when n = 1 then '{ai.credit.low,ai.credit.exhausted,invoice.created,invoice.updated,ticket.replied}'::text[] end, 'ERP', '{ai:read}',
      '\\x00', now(), now() from generate_series(1, 3) n;
  insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, state, attempts, queued_at, last_attempt_at,
      last_status, last_error, created_at)
    select $customer, app.new_id(), '00000000-0000-4000-8000-000000000002', $customer, app.new_id(), 'invoice.created',
      (array['delivered', 'failed', 'missed', 'pending'])[1 + n % 4], n, now(), now(), case when n % 4 = 1 then 503 else 200 end,
      case when n % 4 = 1 then 'The receiver answered 503 Service Unavailable' end, now() from generate_series(1, 12) n;
  insert into audit_log (customer_id, id, actor, action, metadata)
    select $customer, app.new_id(), 'operator:kari', 'customer.limits', '{"requests_per_minute": 1200, "sms_per_minute": null}' from generate_series(1, 30);
  insert into refused_request (customer_id, id, request_id, network, method, route, status, code, detail, duration_ms, created_at)
    select $customer, app.new_id(), 'request-' || n, '127.0.0.1', 'POST', '/sms/send', 403, 'insufficient_scope', 'It needs sms:send', 3,
      now() - n * interval '1 minute' from generate_series(1, 5) n;
  insert into ai_usage_day (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
      cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
    values ($customer, current_date, 'claude-haiku-4-5', gen_random_uuid(), 10, 1000, 0, 0, 0, 500, 0.1, 0, 0.1, 0);
`;

/**
 * Whether this becomes true of the layout. A browser that has much to do may draw nothing for many seconds, and its page learns of a new
 * width when it is drawn: a picture draws it.
 */
async function becomesTrue(page: Page, condition: string): Promise<boolean> {
  for (const timeout of PATIENCE_MS) {
    const seen = page.waitForFunction(condition, null, { timeout, polling: 50 });
    if (await seen.then(Boolean, () => false)) return true;
    await page.screenshot();
  }
  return false;
}

/** Ends with the transitions that end: a button that can be pressed now has for a moment the colours of neither state. */
const STILL = `Promise.all(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished.catch(() => undefined))).then(() => undefined)`;

/** What axe finds serious on a page, by all its rules or by some. */
async function seriousFaults(page: Page, name: string, rules?: string[]): Promise<string[]> {
  await page.evaluate(STILL);
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${name}: ${id} ${nodes.map(({ target }) => target.join(' ')).join('; ')}`);
}

describe("The operator's console in a browser", () => {
  let api: TestOperatorApi;
  let visitor: ConsoleVisitor;
  let page: Page;
  let customerId: string;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    api = await startOperatorApi();
    visitor = await visitConsole(api);
    page = visitor.page;
    customerId = (await saveFakeCustomer(api.superuser, { name: HOSTILE_NAME })).id;
    await saveFakeToken(api.superuser, customerId, { name: 'ERP production' });
    await api.superuser.query(RECORDS.replaceAll('$customer', `'${customerId}'`));
  }, 240_000);

  afterAll(async () => {
    await visitor.stop();
    await api.stop();
  });

  beforeEach(() => void (visitor.complaints.length = 0));
  afterEach(() => expect(visitor.complaints).toEqual([]));

  it('sends nobody in who is not logged in', async () => {
    await page.goto(`${api.origin}/`);
    await page.getByRole('heading', { name: 'Operator console' }).waitFor();
    expect(page.url()).toContain('/login');
  });

  it('logs in by a link once, then by a passkey that was added', async () => {
    const token = await inviteToConsole(api, 'admin', 'first@example.com');
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login/link?token=${token}`);
    await page.getByRole('button', { name: 'Log in with this link' }).click();
    await page.getByRole('heading', { name: 'Passkeys', exact: true }).waitFor();

    await holdPasskeys(visitor);
    await page.getByLabel('Name of the device').fill('Test laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('cell', { name: 'Test laptop' }).waitFor();

    await visitor.browser.clearCookies();
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login`);
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await page.getByRole('menuitem', { name: 'Customers' }).first().waitFor();

    await visitor.browser.clearCookies();
    await page.goto('about:blank');
    await page.goto(`${api.origin}/#/login/link?token=${token}`);
    await page.getByRole('button', { name: 'Log in with this link' }).click();
    await page.getByText('The link was used').waitFor();
    visitor.complaints.length = 0;
  });

  it('shows every screen, on a desk and on a phone, light and dark, with nothing that axe finds serious', async () => {
    await visitor.logIn('admin');
    const customer = `/customers/${customerId}/show`;
    const tabs = ['services', 'tokens', 'ai', 'credit-requests', 'tickets', 'webhooks'];
    const parts = Object.fromEntries(tabs.map((tab) => [`Customer ${tab}`, `${customer}/${tab}`]));
    const screens = Object.entries({ ...SCREENS, Customer: customer, ...parts });
    const found: string[] = [];
    const examine = async (by: ConsoleVisitor) => {
      for (let screen = screens.shift(); screen; screen = screens.shift()) found.push(...(await look(by, ...screen)));
    };
    // A browser of its own: a page in the background draws nothing.
    const beside = await visitConsole(api);
    await beside.logIn('admin', 'colleague');
    await Promise.all([examine(visitor), examine(beside)]);
    found.push(...beside.complaints);
    await beside.stop();
    expect(found).toEqual([]);
  }, 240_000);

  /** Takes pictures of a screen. @returns its faults: those that axe finds serious, and a page that is wider than the screen or goes on below its content */
  async function look({ page: on, open, settled }: ConsoleVisitor, name: string, path: string): Promise<string[]> {
    await open(path);
    if (!(await on.evaluate(`'axe' in window`))) await on.evaluate(AXE);
    const faults = await seriousFaults(on, name);
    for (const [width, colorScheme] of PICTURED) {
      await on.setViewportSize({ width, height: 800 });
      await on.emulateMedia({ colorScheme });
      if (!(await becomesTrue(on, FITS))) faults.push(`${name}: wider than ${width} px`);
      if (!(await becomesTrue(on, ENDS_WITH_CONTENT))) faults.push(`${name}: goes on below its content at ${width} px`);
      for (const tab of await on.evaluate<string[]>(TABS_BESIDE)) faults.push(`${name}: ${tab} is beside ${width} px`);
      await settled();
      const path = join(PICTURES, `${name.replaceAll(' ', '-')}-${width}-${colorScheme}.png`);
      await on.screenshot({ path, animations: 'disabled' });
      if (colorScheme === 'dark') faults.push(...(await seriousFaults(on, `${name}, dark`, ['color-contrast'])));
    }
    await on.setViewportSize({ width: 1280, height: 800 });
    await on.emulateMedia({ colorScheme: 'light' });
    return faults;
  }

  it('hides no page behind its menu when the window gets as narrow as a phone, and has the menu again when it is wide', async () => {
    await visitor.open('/customers');
    const label = page.getByRole('menuitem', { name: 'Find a token' }).getByText('Find a token');
    await label.waitFor();
    for (const [width, isShown] of [
      [390, false],
      [1280, true],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await label.waitFor({ state: isShown ? 'visible' : 'hidden' });
      await visitor.settled();
      expect(
        await page
          .locator('[aria-hidden=true]')
          .filter({ has: page.locator('#main-content') })
          .count(),
      ).toBe(0);
    }
  });

  it('shows a hostile name as text', async () => {
    await visitor.open('/customers');
    await page.getByText('<img src=x onerror="window.stolen=1"').first().waitFor();
    expect(await page.evaluate(`'stolen' in window`)).toBe(false);
    expect(await page.content()).not.toContain('\u202e');
  });

  it('approves a credit request on a phone, with nothing beside the screen', async () => {
    const phone = await visitConsole(api, { viewport: { width: 390, height: 800 }, hasTouch: true });
    await phone.logIn('billing', 'traveller');
    await phone.page.getByRole('button', { name: 'Open menu' }).tap();
    await phone.page.getByRole('menuitem', { name: 'Credit requests' }).tap();
    const card = phone.page.locator('tr').filter({ hasText: 'For the campaign 2' }).first();
    const button = card.getByRole('button', { name: 'Approve' });
    const { x, width } = (await button.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);
    await button.tap();
    await phone.page.getByText('Owed:').waitFor();
    await phone.page.screenshot({ path: join(PICTURES, 'Approve-390-light.png'), animations: 'disabled' });
    await phone.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).tap();
    await phone.page.getByText('is approved').waitFor();
    expect(phone.complaints).toEqual([]);
    await phone.stop();
  });

  it('approves a credit request by the keyboard alone', async () => {
    await visitor.logIn('billing');
    await visitor.open('/credit-requests');
    await page.getByRole('button', { name: 'Approve' }).first().waitFor();
    for (let presses = 0; presses < 200; presses++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === 'Approve') break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('K-1');
    await page.keyboard.press('Enter');
    await page.getByText('is approved').waitFor();
    const { rows } = await api.superuser.query(
      `select count(*)::int as count from invoice where number = 'K-1' and customer_id = $1`,
      [customerId],
    );
    expect(rows[0].count).toBe(1);
  });

  it('has further filters behind a button, which fits a phone, and takes times as the browser writes them', async () => {
    const phone = await visitConsole(api, { viewport: { width: 390, height: 800 }, hasTouch: true });
    await phone.logIn('admin', 'auditor');
    const filter = async (name: string) => {
      await phone.page.getByRole('button', { name: 'Add filter' }).tap();
      await phone.page.getByRole('menuitemcheckbox', { name, exact: true }).tap();
    };
    const answered = (part: string) =>
      phone.page.waitForResponse((reply) => reply.url().includes('/audit?') && reply.url().includes(part));
    await phone.open('/audit');
    await filter('Since');
    const since = answered('since=2099-12-3');
    await phone.page.getByLabel('Since').fill('2099-12-31T12:00');
    expect((await since).status()).toBe(200);
    await phone.page.getByText('There is nothing here.').waitFor();
    await filter('Customer');
    expect(await becomesTrue(phone.page, FITS)).toBe(true);
    await phone.page.screenshot({ path: join(PICTURES, 'Filters-390-light.png'), animations: 'disabled' });
    // An address that somebody was sent leads to the same.
    const again = answered('since=2099-12-3');
    await phone.page.reload();
    expect((await again).status()).toBe(200);
    expect(await phone.page.getByLabel('Since').inputValue()).toBe('2099-12-31T12:00');
    expect(phone.complaints).toEqual([]);
    await phone.stop();
  });

  it('says that a file does not have all rows of a list', async () => {
    await visitor.logIn('admin');
    await visitor.open('/audit');
    await api.superuser.query(
      `insert into audit_log (customer_id, id, actor, action, metadata)
       select $1, app.new_id(), 'operator:kari', 'customer.limits', '{}' from generate_series(1, 10000)`,
      [customerId],
    );
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    expect(file.split('\r\n')).toHaveLength(10_001);
    await page.getByText(/^The file has the first 10.000 rows of the list/).waitFor();
  });

  it('writes no text into a file that a spreadsheet would run', async () => {
    const notes = ['=1', 'x;=cmd', 'x|"+1', '\uFF1D1', 'a; b = c'];
    await api.superuser.query(
      'insert into ai_credit_request (customer_id, amount_nok, note, created_at) select $1, 500, unnest($2::text[]), now()',
      [customerId, notes],
    );
    await visitor.logIn('admin');
    await visitor.open('/credit-requests');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    // As the command line writes them.
    for (const note of notes) expect(file).toContain(`,${csvRecord([note]).trimEnd()},`);
  });

  it('opens the page of a row by the keyboard', async () => {
    await visitor.logIn('admin');
    await visitor.open('/tickets');
    const title = page.getByRole('link', { name: 'The delivery report of 1 SMS' }).first();
    await title.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/tickets/*/show');
  });

  it.each(['/', '/accounting', '/tickets'])('leads to the login from %s when the session has ended', async (path) => {
    await visitor.logIn('viewer');
    await visitor.open(path);
    await api.superuser.query('update operator_session set revoked_at = now()');
    await page.getByRole('button', { name: 'Log in with a passkey' }).waitFor();
  });

  it('asks as nobody when nobody has touched the page for a minute, and as its person again then', async () => {
    await visitor.logIn('viewer');
    await visitor.open('/tickets');
    const asked = (unattended: boolean) =>
      page.waitForRequest(
        (request) =>
          request.url().includes('/tickets?') && (request.headers()['x-unattended'] !== undefined) === unattended,
      );
    await page.evaluate('Object.assign(window, { realNow: Date.now }); Date.now = () => realNow() + 61_000');
    await asked(true);
    await page.mouse.move(100, 100);
    await page.mouse.move(200, 200);
    await asked(false);
  });

  it('offers a viewer no changes', async () => {
    await visitor.logIn('viewer');
    await visitor.open('/credit-requests');
    await page.getByText('For the campaign 7').first().waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});
