import { DatabaseClockService } from '@platform/database';
import { startApi, type TestApi } from '@test/api';
import { queriesDuring } from '@test/watch-queries';

describe('health checks', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi({ RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' })));
  afterAll(() => api.stop());
  afterEach(() => jest.restoreAllMocks());

  const statusOf = async (path: string) => {
    const reply = await fetch(`${api.origin}/health/${path}`);
    await reply.arrayBuffer();
    return reply.status;
  };
  /** Sends requests for some time, several at a time. */
  async function askFor(ms: number, path: string): Promise<number[]> {
    const statuses: number[] = [];
    const end = performance.now() + ms;
    const ask = async () => {
      while (performance.now() < end) statuses.push(await statusOf(path));
    };
    await Promise.all(Array.from({ length: 8 }, ask));
    return statuses;
  }

  it('of readiness ask the database once a second at most, however many there are', async () => {
    const compare = jest.spyOn(api.app.get(DatabaseClockService), 'compare');
    const begun = performance.now();
    const statuses = await askFor(1500, 'ready');
    const seconds = (performance.now() - begun) / 1000;
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses.length).toBeGreaterThan(20);
    expect(compare.mock.calls.length).toBeGreaterThan(0);
    expect(compare.mock.calls.length).toBeLessThanOrEqual(Math.floor(seconds) + 1);
  });

  it('of liveness ask it nothing', async () => {
    const clock = jest.spyOn(api.app.get(DatabaseClockService), 'compare');
    const queries = await queriesDuring(async () => {
      expect(new Set(await askFor(300, 'live'))).toEqual(new Set([200]));
    });
    expect(clock).not.toHaveBeenCalled();
    expect(queries.length).toBeLessThan(5);
  });
});
