import { setImmediate } from 'node:timers/promises';
import { MicroBatcher } from './micro-batcher';

describe('MicroBatcher', () => {
  function recording(run: (items: number[]) => Promise<string[]>, size = 3) {
    const batches: number[][] = [];
    const batcher = new MicroBatcher<number, string>({
      run: (items) => {
        batches.push(items);
        return run(items);
      },
      compare: (a, b) => a - b,
      size,
      concurrency: 2,
      failsAll: (error) => error instanceof Error && error.message === 'down',
    });
    return { batches, batcher };
  }

  it('batches the items of one turn, in order, up to the batch size', async () => {
    const gate = Promise.withResolvers<void>();
    const { batches, batcher } = recording(async (items) => {
      await gate.promise;
      return items.map(String);
    });
    const results = [9, 8, 7, 6, 5, 4, 3].map((item) => batcher.execute(item));
    await setImmediate();
    expect(batches).toEqual([
      [7, 8, 9],
      [4, 5, 6],
    ]);
    gate.resolve();
    expect(await Promise.all(results)).toEqual(['9', '8', '7', '6', '5', '4', '3']);
    expect(batches.slice(2)).toEqual([[3]]);
  });

  it('collects items during a batch, and starts a second batch when it is full', async () => {
    const gate = Promise.withResolvers<void>();
    const { batches, batcher } = recording(async (items) => {
      await gate.promise;
      return items.map(String);
    });
    const results = [batcher.execute(1)];
    await setImmediate();
    results.push(batcher.execute(3), batcher.execute(2));
    await setImmediate();
    expect(batches).toEqual([[1]]);
    results.push(batcher.execute(4));
    await setImmediate();
    expect(batches).toEqual([[1], [2, 3, 4]]);
    gate.resolve();
    expect(await Promise.all(results)).toEqual(['1', '3', '2', '4']);
  });

  it('fails only the item at fault', async () => {
    const { batcher } = recording(async (items) => {
      if (items.includes(2)) throw new Error('two');
      return items.map(String);
    }, 10);
    const results = await Promise.allSettled([5, 4, 3, 2, 1].map((item) => batcher.execute(item)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('fails the whole batch, once, when the database is down', async () => {
    const { batches, batcher } = recording(() => Promise.reject(new Error('down')), 10);
    const results = await Promise.allSettled([1, 2, 3, 4].map((item) => batcher.execute(item)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(batches).toEqual([[1, 2, 3, 4]]);
  });
});
