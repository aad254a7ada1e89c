import { firstIdAt, idWindow, LEAST_ID, timeOfId } from './keyset-pages';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (time: string) => firstIdAt(Date.parse(time));
const page = { limit: 20 };

describe('the least id of a moment', () => {
  it('has the moment’s milliseconds, and is of version 7', () => {
    expect(at('2026-12-01T00:00:00Z')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-0{12}$/);
    expect(timeOfId(at('2026-12-01T00:00:00.123Z'))).toBe(Date.parse('2026-12-01T00:00:00.123Z'));
  });

  it('ascends with time', () => {
    const times = ['1969-01-01', '1970-01-01', '1970-01-02', '2026-11-30', '2026-12-01', '2100-01-01'];
    expect(times.map(at)).toEqual(times.map(at).sort());
    expect(at('1960-01-01')).toBe(LEAST_ID);
  });
});

describe('the window of a page', () => {
  it('is the newest month, then the rest', () => {
    const { below, from, least } = idWindow(page, undefined);
    expect(below).toBeUndefined();
    expect(least).toBe(LEAST_ID);
    expect(Date.now() - timeOfId(from)).toBeGreaterThanOrEqual(31 * DAY);
    expect(Date.now() - timeOfId(from)).toBeLessThan(31 * DAY + HOUR);
  });

  it('begins at the row before', () => {
    const after = at('2025-06-15T00:00:00Z');
    expect(idWindow(page, after)).toEqual({ below: after, from: at('2025-05-15T00:00:00Z'), least: LEAST_ID });
  });

  it('lies within the range of time, with a margin for what was created a little before or after its id', () => {
    const range = {
      ...page,
      createdAfter: '2025-06-10T00:00:00.000000Z',
      createdBefore: '2025-06-15T00:00:00.000000Z',
    };
    const least = at('2025-06-09T23:00:00Z');
    expect(idWindow(range, undefined)).toEqual({ below: at('2025-06-15T01:00:00Z'), from: least, least });
    expect(idWindow(range, at('2025-06-12T00:00:00Z'))).toMatchObject({ below: at('2025-06-12T00:00:00Z') });
    expect(idWindow(range, at('2025-07-12T00:00:00Z'))).toMatchObject({ below: at('2025-06-15T01:00:00Z') });
  });

  it('is no fault for a cursor whose id carries no time', () => {
    expect(idWindow(page, 'ffffffff-ffff-4fff-bfff-ffffffffffff').from).toBe(at('2499-12-01T00:00:00Z'));
    expect(idWindow(page, LEAST_ID)).toEqual({ below: LEAST_ID, from: LEAST_ID, least: LEAST_ID });
  });
});
