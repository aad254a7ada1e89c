import type { Client } from 'pg';
import { RateLimitStorageService } from '@platform/access';
import { loadConfig } from '@platform/config';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { caller } from '@test/api';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { describeWithRedis, type RedisServer, startRedis } from '@test/redis-server';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { until } from '@test/until';

const LIMIT = 50;

describeWithRedis('rate limits of two processes with one Redis', (program) => {
  let database: TestDatabase;
  let superuser: Client;
  let redis: RedisServer;
  let processes: ApiProcess[];

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    redis = await startRedis(program);
    const settings = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      RATE_LIMIT_REQUESTS_PER_MINUTE: String(LIMIT),
      RATE_LIMIT_ADDRESS_PER_MINUTE: '100000',
      LOG_LEVEL: 'info',
    };
    const inOtherWords = { ...settings, REDIS_URL: redis.url.replace('redis:', 'valkey:') };
    processes = await Promise.all([startApiProcess(settings), startApiProcess(inOtherWords)]);
  });
  afterAll(async () => {
    redis.thaw();
    await Promise.all(processes.map((api) => api.stop()));
    await redis.kill();
    await superuser.end();
    await database.drop();
  });

  /** Calls both processes in turn, all at once. @returns the number of calls by status */
  async function callBoth(times: number) {
    const { id } = await saveFakeCustomer(superuser);
    const { token } = await saveFakeToken(superuser, id);
    const statuses = await Promise.all(
      Array.from({ length: times }, async (_, index) => {
        const { baseUrl } = processes[index % 2] as ApiProcess;
        const reply = await caller(baseUrl, token)('/customer');
        await reply.arrayBuffer();
        return reply.status;
      }),
    );
    const count = (status: number) => statuses.filter((other) => other === status).length;
    return { passed: count(200), refused: count(429), others: times - count(200) - count(429) };
  }

  const degraded = async () => {
    const states = await Promise.all(
      processes.map(async ({ metricsUrl }) => /^rate_limit_degraded 1$/m.test(await (await fetch(metricsUrl)).text())),
    );
    return states.filter(Boolean).length;
  };

  it('are shared exactly', async () => {
    expect(await degraded()).toBe(0);
    for (let round = 0; round < 5; round++) {
      expect(await callBoth(4 * LIMIT)).toEqual({ passed: LIMIT, refused: 3 * LIMIT, others: 0 });
    }
  });

  it('do not have a request that was given back, unless its window has ended', async () => {
    const storage = new RateLimitStorageService(loadConfig({ REDIS_URL: redis.url }));
    await storage.onModuleInit();
    const count = () => storage.count('sms:given back', LIMIT);
    const first = await count();
    expect([first, await count()]).toMatchObject([{ totalHits: 1, isShared: true }, { totalHits: 2 }]);
    storage.giveBack('sms:given back', first);
    expect((await count()).totalHits).toBe(2);
    storage.giveBack('sms:given back', { endsAt: performance.now(), isShared: true });
    storage.giveBack('sms:given back', { ...first, isShared: false });
    expect((await count()).totalHits).toBe(3);
    await storage.onApplicationShutdown();
  });

  it('go on per process while Redis is away, which a metric says, and are shared again once it is back', async () => {
    await redis.kill();
    expect(await callBoth(4 * LIMIT)).toEqual({ passed: 2 * LIMIT, refused: 2 * LIMIT, others: 0 });
    expect(await degraded()).toBe(2);
    await redis.restart();
    await until(async () => (await degraded()) === 0);
    expect(await callBoth(4 * LIMIT)).toEqual({ passed: LIMIT, refused: 3 * LIMIT, others: 0 });
  });

  it('go on per process, and fast, while Redis hangs with its connections open', async () => {
    redis.freeze();
    // The first requests detect the failure; the others must not wait for it.
    await callBoth(2);
    expect(await degraded()).toBe(2);
    const startedAt = performance.now();
    expect(await callBoth(4 * LIMIT)).toEqual({ passed: 2 * LIMIT, refused: 2 * LIMIT, others: 0 });
    console.log(`${4 * LIMIT} calls with a frozen Redis took ${Math.round(performance.now() - startedAt)} ms`);
    const { id } = await saveFakeCustomer(superuser);
    const { token } = await saveFakeToken(superuser, id);
    for (let count = 0; count < 20; count++) await caller((processes[0] as ApiProcess).baseUrl, token)('/customer');
    expect(performance.now() - startedAt).toBeLessThan(20 * 250);
    redis.thaw();
    await until(async () => (await degraded()) === 0);
    expect(await callBoth(4 * LIMIT)).toEqual({ passed: LIMIT, refused: 3 * LIMIT, others: 0 });
  });

  it('go on per process while Redis has no memory for counts, which a metric says, and are shared again once it has', async () => {
    await redis.limitMemory(1);
    expect(await callBoth(4 * LIMIT)).toEqual({ passed: 2 * LIMIT, refused: 2 * LIMIT, others: 0 });
    expect(await degraded()).toBe(2);
    await redis.limitMemory(0);
    await callBoth(2);
    expect(await degraded()).toBe(0);
    expect(await callBoth(4 * LIMIT)).toEqual({ passed: LIMIT, refused: 3 * LIMIT, others: 0 });
    for (const api of processes) expect(api.output().stdout.match(/Redis refuses counts/g)).toHaveLength(1);
  });

  it('say in the log when Redis goes and comes, once each', () => {
    for (const api of processes) {
      const said = api.output().stdout.match(/Redis is (away|back)/g);
      expect(said).toEqual(['Redis is away', 'Redis is back', 'Redis is away', 'Redis is back']);
    }
  });
});
