import { RequestCounts } from './request-counts';

const WINDOW_MS = 1000;

describe('RequestCounts', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 1234.567 }));
  afterEach(() => void jest.useRealTimers());

  it('forgets keys whose window has ended, and keeps the others, also one that began anew', () => {
    const counts = new RequestCounts(WINDOW_MS);
    counts.count('ends');
    counts.count('begins anew');
    jest.advanceTimersByTime(WINDOW_MS / 2);
    counts.count('goes on');
    jest.advanceTimersByTime(WINDOW_MS / 2);
    expect(counts.count('begins anew')).toEqual({ totalHits: 1, msBeforeNext: WINDOW_MS });
    expect(counts.size).toBe(2);
    expect(counts.count('goes on')).toEqual({ totalHits: 2, msBeforeNext: WINDOW_MS / 2 });
  });

  it('keeps no more keys than one window has, however many there are in all', () => {
    const counts = new RequestCounts(WINDOW_MS);
    for (let index = 0; index < 10_000; index++) {
      counts.count(`key ${index}`);
      jest.advanceTimersByTime(10);
    }
    expect(counts.size).toBeLessThanOrEqual(WINDOW_MS / 10 + 1);
  });
});
