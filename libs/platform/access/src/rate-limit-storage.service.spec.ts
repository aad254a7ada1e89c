import { loadConfig } from '@platform/config';
import { RateLimitStorageService } from './rate-limit-storage.service';

const LIMIT = 2;

describe('counts of one process', () => {
  let storage: RateLimitStorageService;
  beforeEach(() => {
    jest.useFakeTimers({ now: 1234.567 });
    const config = loadConfig({});
    storage = new RateLimitStorageService(config);
  });
  afterEach(() => jest.useRealTimers());

  const count = (key: string) => storage.increment(key, 60_000, LIMIT);

  it('begin with a window of exactly a minute, whatever the clock says', async () => {
    for (let time = 0; time < 1000; time++) {
      jest.setSystemTime(time * 17.123457);
      expect(await count(`key ${time}`)).toMatchObject({ totalHits: 1, timeToExpire: 60, isBlocked: false });
    }
  });

  it('do not have a request that was given back, unless its window has ended', async () => {
    const first = await count('a');
    storage.giveBack('a', first);
    expect(await count('a')).toMatchObject({ totalHits: 1, remaining: LIMIT - 1 });
    jest.advanceTimersByTime(60_001);
    expect(await count('a')).toMatchObject({ totalHits: 1 });
    for (const key of ['a', 'b']) storage.giveBack(key, first);
    expect([await count('a'), await count('b')]).toMatchObject([{ totalHits: 2 }, { totalHits: 1 }]);
  });

  it('count up within a window and tell when it ends', async () => {
    await count('a');
    jest.advanceTimersByTime(59_001);
    expect(await count('a')).toMatchObject({ totalHits: 2, timeToExpire: 1 });
    expect(await count('b')).toMatchObject({ totalHits: 1, timeToExpire: 60 });
  });

  it('say when a limit is passed, and for how long', async () => {
    for (let hit = 1; hit <= LIMIT; hit++) expect(await count('a')).toMatchObject({ isBlocked: false });
    jest.advanceTimersByTime(20_000);
    expect(await count('a')).toMatchObject({
      limit: LIMIT,
      totalHits: 3,
      timeToExpire: 40,
      isBlocked: true,
      timeToBlockExpire: 40,
      remaining: 0,
    });
  });

  it('begin anew when the window has ended', async () => {
    await count('a');
    jest.advanceTimersByTime(60_000);
    expect(await count('a')).toMatchObject({ totalHits: 1, timeToExpire: 60 });
  });

  it('forgets keys whose window has ended, and keeps the others, also one that began anew', async () => {
    await count('ends');
    await count('begins anew');
    jest.advanceTimersByTime(30_000);
    await count('goes on');
    jest.advanceTimersByTime(30_000);
    expect(await count('begins anew')).toMatchObject({ totalHits: 1, timeToExpire: 60 });
    expect(storage.keys).toBe(2);
    expect(await count('goes on')).toMatchObject({ totalHits: 2, timeToExpire: 30 });
  });

  it('keeps no more keys than one window has, however many there are in all', async () => {
    for (let index = 0; index < 10_000; index++) {
      await count(`key ${index}`);
      jest.advanceTimersByTime(600);
    }
    expect(storage.keys).toBeLessThanOrEqual(60_000 / 600 + 1);
  });
});
