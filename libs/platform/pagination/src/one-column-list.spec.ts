import { ServiceError } from '@platform/errors';
import { allRows, daysOfCursor, encodeCursor, oneColumnPage, type OneColumnList, listMark } from './index';

const ROWS = Array.from({ length: 10 }, (_, index) => ({ number: String(10 - index) }));
const list = (filters: unknown[] = []): OneColumnList<{ number: string }> => ({
  name: 'numbers',
  filters,
  key: 'number',
  keyOf: ({ number }) => number,
  read: (count, after) =>
    Promise.resolve(ROWS.filter(({ number }) => after === undefined || Number(number) < Number(after)).slice(0, count)),
});
const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a list that is ordered by one column', () => {
  it('has its days in its cursors, unless it has none', async () => {
    const days = { from: '2026-11-01', to: '2026-11-30' };
    const cursorOf = async (more: object) =>
      (await oneColumnPage({ ...list(), ...more }, { limit: 1 })).nextCursor ?? '';
    expect(daysOfCursor(await cursorOf({ days }), list())).toEqual(days);
    expect(daysOfCursor(await cursorOf({}), list())).toBeUndefined();
  });

  it.each([1, 3, 5, 9, 10, 11])('has every row once in pages of %d', async (limit) => {
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await oneColumnPage(list(), { limit, cursor });
      expect(page.hasMore).toBe(page.nextCursor !== null);
      expect(page.items).not.toEqual([]);
      seen.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(ROWS);
  });

  it.each([1, 3, 5, 10, 11])('has every row once in portions of %d', async (portion) => {
    const seen: { number: string }[][] = [];
    for await (const rows of allRows(list(), { portion })) seen.push(rows);
    expect(seen.flat()).toEqual(ROWS);
    expect(seen.every((rows) => rows.length > 0 && rows.length <= portion)).toBe(true);
  });

  it.each([
    ['day', '2026-02-31'],
    ['day', '0000-01-01'],
    ['day', '2026-1-1'],
    ['month', '2026-13'],
    ['month', '0000-01'],
    ['uuid', 'x'],
    ['text', 'a\0'],
    ['text', ''],
    ['number', '1'.repeat(19)],
  ] as const)('refuses a key that is no %s: %s', async (key, text) => {
    const cursor = forge([text, listMark('numbers', [])]);
    await expect(oneColumnPage({ ...list(), key }, { limit: 1, cursor })).rejects.toThrow('sent back as it is');
  });

  it.each([
    ['no cursor', 'x', 'sent back as it is'],
    ['nothing', forge([]), 'sent back as it is'],
    ['a key that is none', forge(['1 or true', listMark('numbers', [])]), 'sent back as it is'],
    ['a key that is no text', forge([1, listMark('numbers', [])]), 'sent back as it is'],
    ['two keys', forge(['1', '2', listMark('numbers', [])]), 'sent back as it is'],
    ['a day that is none', forge(['1', '2026-02-01', '2026-02-31', listMark('numbers', [])]), 'sent back as it is'],
    ['the cursor of other filters', forge(['1', listMark('numbers', ['a'])]), 'another list or other filters'],
    [
      'the cursor of a list in another order',
      encodeCursor({ createdAt: '', id: '1' }, 'x'),
      'another list or other filters',
    ],
  ])('refuses %s', async (_name, cursor, detail) => {
    const page = oneColumnPage(list(), { limit: 1, cursor });
    await expect(page).rejects.toThrow(ServiceError);
    await expect(page).rejects.toThrow(detail);
  });
});
