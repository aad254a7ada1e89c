import type { BrowserContext, Page } from 'playwright-core';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { startBrowser } from '@test/browser';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

describe('Swagger UI in a browser', () => {
  let api: ApiProcess;
  let stopBrowser: () => Promise<void>;
  let browser: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    const started = await startBrowser();
    browser = started.browser;
    stopBrowser = started.stop;
    api = await startApiProcess({ DATABASE_URL: database.url });
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    await page.goto(`${api.origin}/docs`);
  }, 240_000);

  afterAll(async () => {
    await stopBrowser();
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
