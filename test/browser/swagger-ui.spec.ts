import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

/** Debian's, or the one that `CHROMIUM` names. */
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';

const database = useTestDatabase();

describe('Swagger UI in a browser', () => {
  let api: ApiProcess;
  let profile: string;
  let browser: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    if (!existsSync(BROWSER)) throw new Error(`There is no browser at ${BROWSER}: install chromium, or set CHROMIUM`);
    api = await startApiProcess({ DATABASE_URL: database.url });
    profile = await mkdtemp(join(tmpdir(), 'browser-'));
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: BROWSER,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    await page.goto(`${api.origin}/docs`);
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
    await api.stop();
  });

  const operation = (id: string) => page.locator(`[id="operations-${id}"]`);
  const execute = async (id: string) => {
    const block = operation(id);
    await block.locator('.opblock-summary').first().click();
    await block.getByRole('button', { name: 'Execute' }).click();
    const reply = block.locator('.live-responses-table .response').first();
    return { status: await reply.locator('.response-col_status').innerText(), body: await reply.innerText() };
  };

  it('shows every part of the interface', async () => {
    const shown = page.locator('.opblock-tag-section h3 a span');
    await shown.first().waitFor();
    expect(await shown.allInnerTexts()).toEqual(expect.arrayContaining(['Customer', 'Services', 'Status']));
  });

  it('says 401 to a call without a token', async () => {
    const { status, body } = await execute('Services-listServices');
    expect(status).toMatch(/^401/);
    expect(body).toContain('"code": "unauthorized"');
  });

  it('authorises with a token, tries GET /customer and shows 200 with the profile', async () => {
    const superuser = await connectAsSuperuser(database);
    const customer = await saveFakeCustomer(superuser);
    const { token } = await saveFakeToken(superuser, customer.id);
    await superuser.end();

    await page.locator('.btn.authorize').click();
    const dialog = page.locator('.dialog-ux');
    await dialog.locator('#auth-bearer-value').fill(token);
    await dialog.locator('button.authorize').first().click();
    await dialog.getByRole('button', { name: 'Close' }).first().click();

    const { status, body } = await execute('Customer-getCustomer');
    expect(status).toMatch(/^200/);
    expect(body).toContain(customer.id);
  });

  it('needs nothing from elsewhere and logs no fault but the refused call', () => {
    expect(new Set(asked.filter((origin) => origin.startsWith('http')))).toEqual(new Set([api.origin]));
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });
});
