import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { makeScratchFolder } from './scratch-folder';

/** Debian's, or the one that `CHROMIUM` names. */
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** A browser with a new profile (a folder), which asks no host but those of the tests. */
export async function startBrowser(
  options: BrowserContextOptions = {},
): Promise<{ browser: BrowserContext; profile: string; stop: () => Promise<void> }> {
  if (!existsSync(BROWSER)) throw new Error(`There is no browser at ${BROWSER}: install chromium, or set CHROMIUM`);
  const profile = await makeScratchFolder('browser');
  const browser = await chromium.launchPersistentContext(profile, {
    ...options,
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
  return {
    browser,
    profile,
    async stop() {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
