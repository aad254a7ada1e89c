import { SharedRedis } from './shared-redis';

it('Redis is tried again after two seconds at most, however long it has been away', async () => {
  const redis = await SharedRedis.open('redis://127.0.0.1:1');
  const { retryStrategy } = redis.client.options;
  expect([1, 5, 20, 21, 10_000].map((attempt) => retryStrategy?.(attempt))).toEqual([100, 500, 2000, 2000, 2000]);
  await redis.stop();
});
