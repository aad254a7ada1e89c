import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { OperatorAccountsService, type OperatorRole } from '@platform/operator-accounts';
import { startBrowser } from './browser';
import type { TestOperatorApi } from './operator-api';
import { until } from './until';

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
  /** Opens a page of the console, such as `/tickets`, and waits until it is {@link settled}. */
  open(path: string): Promise<void>;
  /** Waits until the page has everything that it has asked for, and has drawn it. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Longest for what a page waits for, in milliseconds: a new browser on processors that others use takes ten seconds for a click. */
const PATIENCE_MS = 30_000;

/** After two frames what an event has changed is drawn, and has asked for what it shows. */
const DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/** The token of a new link that logs an account in. */
export async function inviteToConsole(api: TestOperatorApi, role: OperatorRole, email: string): Promise<string> {
  const { link } = await api.app.get(OperatorAccountsService).invite('operator:test', { email, role });
  return new URL(link.replace('/#', '')).searchParams.get('token') ?? '';
}

/** Gives a visitor's page a device that makes passkeys and answers with them, as if its person had agreed. */
export async function holdPasskeys({ browser, page }: ConsoleVisitor): Promise<void> {
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
}

/** Starts a browser for the console that the operator API serves. */
export async function visitConsole(api: TestOperatorApi, options: BrowserContextOptions = {}): Promise<ConsoleVisitor> {
  const { browser, profile, stop } = await startBrowser({ viewport: { width: 1280, height: 800 }, ...options });
  browser.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  browser.on('page', (opened) => {
    opened.on('console', (message) => {
      // A reply of 401 is how a page learns that nobody is logged in; one of 503 that it must ask again, where other programs take the processors.
      if (message.type() === 'error' && !/status of (401|503)/.test(message.text())) complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
  });
  const page = await browser.newPage();
  const unanswered = new Set<Request>();
  page.on('request', (request) => {
    // What a page that is left has asked for is not answered any more.
    if (request.isNavigationRequest()) unanswered.clear();
    unanswered.add(request);
  });
  for (const ended of ['requestfinished', 'requestfailed'] as const)
    page.on(ended as 'requestfinished', (request) => unanswered.delete(request));
  const settled = async () => {
    const latest = performance.now() + PATIENCE_MS;
    do {
      await until(() => unanswered.size === 0 || performance.now() > latest);
      await page.evaluate(DRAWN);
    } while (unanswered.size > 0 && performance.now() < latest);
    if (unanswered.size > 0)
      throw new Error(`No answer: ${[...unanswered].map((request) => request.url()).join(', ')}`);
  };
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
      await page.evaluate(DRAWN);
      await settled();
    },
    settled,
    stop,
  };
}
