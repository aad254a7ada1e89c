import { localStorageStore, memoryStore, type Store } from 'react-admin';

/** What a person has chosen. It stays in the browser when the session ends: with other number formats "1.500" is another amount. */
const CHOICES: ReadonlySet<string> = new Set(['formats', 'theme', 'sidebar.open']);

const browser = localStorageStore('1', 'operator-console');
const page = memoryStore();
const storeOf = (key: string) => (CHOICES.has(key) ? browser : page);

/** The choices as they are known: the reply to a logout clears everything that the browser has stored. */
const chosen = new Map<string, unknown>();

/**
 * What react-admin stores. The choices alone are kept in the browser. The rest, such as filters, which have who was looked for, goes with
 * the page.
 */
export const consoleStore: Store = {
  setup() {
    page.setup();
    browser.setup();
    // What an earlier version of the console has left.
    for (const key of Object.keys(browser.listItems?.() ?? {})) if (!CHOICES.has(key)) browser.removeItem(key);
  },
  teardown() {
    page.teardown();
    browser.teardown();
  },
  getItem<Value>(key: string, usual?: Value): Value | undefined {
    const value = storeOf(key).getItem<Value>(key);
    if (value !== undefined && CHOICES.has(key)) chosen.set(key, value);
    return value ?? usual;
  },
  setItem(key: string, value: unknown) {
    if (CHOICES.has(key)) chosen.set(key, value);
    storeOf(key).setItem(key, value);
  },
  removeItem: (key: string) => storeOf(key).removeItem(key),
  removeItems: (prefix: string) => page.removeItems(prefix),
  /** At the end of a session. */
  reset() {
    page.reset();
    for (const [key, value] of chosen) browser.setItem(key, value);
  },
  subscribe: (key: string, callback: (value: unknown) => void) => storeOf(key).subscribe(key, callback),
};
