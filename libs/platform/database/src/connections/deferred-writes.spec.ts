import { setImmediate as turn } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../database-errors';
import { DeferredWrites, retryTransient } from './deferred-writes';

const away = () => new DatabaseUnavailableError(new Error('away'));

describe('deferred writes', () => {
  it('are stored even if they are added while earlier writes end', async () => {
    for (let moment = 0; moment < 12; moment++) {
      const stored: string[] = [];
      const lost = jest.fn();
      const later = new DeferredWrites<string>({
        customerId: () => 'one',
        store: (item) => Promise.resolve(stored.push(item)),
        lost,
        capacity: 10,
        retryMs: 1,
      });
      later.add('first');
      for (let passed = 0; passed < moment; passed++) await Promise.resolve();
      later.add('second');
      await turn();
      expect({ moment, stored, waiting: later.size }).toEqual({ moment, stored: ['first', 'second'], waiting: 0 });
      expect(lost).not.toHaveBeenCalled();
    }
  });

  it('are lost if the database is not back in the time that the ending process has', async () => {
    const lost = jest.fn<void, [item: string]>();
    const store = jest.fn((_item: string) => Promise.reject(away()));
    const later = new DeferredWrites<string>({ customerId: () => 'one', store, lost, capacity: 10, retryMs: 1 });
    for (const item of ['first', 'second']) later.add(item);
    const startedAt = performance.now();
    await later.close(50);
    expect(performance.now() - startedAt).toBeGreaterThan(45);
    expect([lost.mock.calls.map(([item]) => item), later.size]).toEqual([['first', 'second'], 0]);
    // Of a silent database each would take its time.
    expect(store).not.toHaveBeenCalledWith('second');
  });

  it("of a customer keep their order, and do not wait for another's locked row", async () => {
    const cancelled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    let isLocked = true;
    const stored: string[] = [];
    const all = Promise.withResolvers<void>();
    const later = new DeferredWrites<string>({
      customerId: (item) => item.slice(0, 1),
      store: async (item) => {
        await turn();
        if (isLocked && item.startsWith('a')) throw cancelled;
        stored.push(item);
        if (stored.length === 4) isLocked = false;
        if (stored.length === 6) all.resolve();
      },
      lost: jest.fn(),
      capacity: 10,
      retryMs: 1,
    });
    for (const item of ['a1', 'b1', 'a2', 'c1', 'b2', 'c2']) later.add(item);
    await all.promise;
    expect(stored).toEqual(['b1', 'b2', 'c1', 'c2', 'a1', 'a2']);
  });

  it('are lost if too many wait, and if the database refuses them', async () => {
    const lost = jest.fn<void, [item: string]>();
    const store = jest.fn().mockRejectedValueOnce(new Error('refused')).mockResolvedValue(undefined);
    const later = new DeferredWrites<string>({ customerId: (item) => item, store, lost, capacity: 2, retryMs: 1 });
    for (const item of ['refused', 'stored', 'too many']) later.add(item);
    await later.close(1_000);
    expect(lost.mock.calls.map(([item]) => item)).toEqual(['too many', 'refused']);
    expect(store.mock.calls).toEqual([['refused'], ['stored']]);
  });
});

describe('retryTransient', () => {
  it('repeats until the database is back', async () => {
    const work = jest.fn().mockRejectedValueOnce(away()).mockRejectedValueOnce(away()).mockResolvedValue('stored');
    await expect(retryTransient(work, { pauseMs: 1 })).resolves.toBe('stored');
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('does not repeat what the database refuses', async () => {
    const work = jest.fn().mockRejectedValue(new Error('refused'));
    await expect(retryTransient(work, { pauseMs: 1 })).rejects.toThrow('refused');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('gives up when its time is over', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
    const work = jest.fn(() => {
      now.mockReturnValue(performance.now() + 60);
      return Promise.reject(away());
    });
    await expect(retryTransient(work, { pauseMs: 1, forMs: 100 })).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(work).toHaveBeenCalledTimes(2);
    now.mockRestore();
  });

  it('makes no attempt after its signal, but the first', async () => {
    const stopping = new AbortController();
    const work = jest.fn().mockRejectedValue(away());
    const begun = retryTransient(work, { pauseMs: 20, signal: stopping.signal });
    setImmediate(() => stopping.abort());
    await expect(begun).rejects.toThrow(/abort/i);
    expect(work).toHaveBeenCalledTimes(1);
    await expect(retryTransient(work, { pauseMs: 1, signal: stopping.signal })).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    expect(work).toHaveBeenCalledTimes(2);
  });
});
