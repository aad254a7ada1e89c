import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { OperatorAccountsService, type OperatorRole } from '@platform/operator-accounts';
import { startBrowser } from './browser';
import type { TestOperatorApi } from './operator-api';

/** One person at the operator's console, with a browser of their own. */
export interface ConsoleVisitor {
  browser: BrowserContext;
  page: Page;
  /** The folder of the browser's profile. */
  profile: string;
  /** Errors of scripts of all pages, and what the content security policy refused, since the list was emptied. */
  complaints: string[];
  /** Logs in by a link, as an account of this name. */
  logIn(role: OperatorRole, name?: string): Promise<void>;
  /** Opens a page of the console, such as `/tickets`. */
  open(path: string): Promise<void>;
  stop(): Promise<void>;
}

/** The token of a new link that logs an account in. */
export async function inviteToConsole(api: TestOperatorApi, role: OperatorRole, email: string): Promise<string> {
  const { link } = await api.app.get(OperatorAccountsService).invite('operator:test', { email, role });
  return new URL(link.replace('/#', '')).searchParams.get('token') ?? '';
}

/** Starts a browser for the console that the operator API serves. */
export async function visitConsole(api: TestOperatorApi, options: BrowserContextOptions = {}): Promise<ConsoleVisitor> {
  const { browser, profile, stop } = await startBrowser({ viewport: { width: 1280, height: 800 }, ...options });
  browser.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  browser.on('page', (opened) => {
    opened.on('console', (message) => {
      // A reply of 401 is how a page learns that nobody is logged in.
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
  });
  const page = await browser.newPage();
  return {
    browser,
    page,
    profile,
    complaints,
    async logIn(role, name = role) {
      await browser.clearCookies();
      await page.goto('about:blank');
      const token = await inviteToConsole(api, role, `${name}@example.com`);
      await page.goto(`${api.origin}/#/login/link?token=${token}`);
      await page.getByRole('button', { name: 'Log in with this link' }).click();
      await page.getByRole('heading', { name: 'Passkeys', exact: true }).waitFor();
    },
    async open(path) {
      await page.goto(`${api.origin}/#${path}`);
      await page.locator('main, #main-content').first().waitFor();
    },
    stop,
  };
}
