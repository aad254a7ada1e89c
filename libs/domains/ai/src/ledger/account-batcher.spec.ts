import { OverloadedError } from '@platform/database';
import { until } from '@test/until';
import { AccountBatcher, LockedAccounts } from './account-batcher';
import type { LockWait } from './ledger-statements';

const PATIENCE_MS = 200;

/** What PostgreSQL answers to a statement that waited for a lock as long as it may. */
const lockTimeout = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

const lockedAccounts = () =>
  new LockedAccounts({ unlocked: () => Promise.resolve([]), connections: 2, patienceMs: PATIENCE_MS });

describe('operations on an account that is locked', () => {
  /** Executes one operation; every statement that does not wait for the lock finds it taken. */
  const execute = (
    patiently: () => Promise<string[]>,
    locked = lockedAccounts(),
    begun = jest.fn<void, [LockWait]>(),
  ) => {
    const run = (_batch: { customerId: string }[], wait: LockWait) => {
      begun(wait);
      return wait === 'patient' ? patiently() : Promise.reject(lockTimeout());
    };
    return new AccountBatcher(run, locked, { size: 10, concurrency: 1, failsAll: () => false }).execute({
      customerId: 'a',
    });
  };

  it('are executed when the lock is gone', async () => {
    let attempts = 0;
    const done = execute(() => (++attempts < 3 ? Promise.reject(lockTimeout()) : Promise.resolve(['done'])));
    expect(await done).toBe('done');
  });

  it.each<[string, { unlocked: string[]; locksMore?: string }]>([
    ['its account', { unlocked: ['b', 'c'] }],
    ['something else that it needs, and no account', { unlocked: ['a', 'b', 'c'], locksMore: 'a' }],
  ])(
    'alone wait for it: those on other accounts of the batch are executed together without them: %s',
    async (_, is) => {
      const begun: [string, LockWait][] = [];
      const run = (batch: { customerId: string }[], wait: LockWait) => {
        const customers = batch.map(({ customerId }) => customerId);
        begun.push([customers.join(), wait]);
        return wait === 'brief' && customers.includes('a') ? Promise.reject(lockTimeout()) : Promise.resolve(customers);
      };
      const unlocked = (ids: string[]) => Promise.resolve(ids.filter((id) => is.unlocked.includes(id)));
      const locked = new LockedAccounts({ unlocked, connections: 2, patienceMs: PATIENCE_MS });
      const locksMore = ({ customerId }: { customerId: string }) => customerId === is.locksMore;
      const batcher = new AccountBatcher(run, locked, { size: 10, concurrency: 1, failsAll: () => false, locksMore });
      const operations = ['c', 'a', 'b'].map((customerId) => batcher.execute({ customerId }));
      expect(await Promise.all(operations)).toEqual(['c', 'a', 'b']);
      expect(begun).toEqual([
        ['a,b,c', 'brief'],
        ['b,c', 'brief'],
        ['a', 'patient'],
      ]);
    },
  );

  it('fail at once with any other error', async () => {
    let attempts = 0;
    const done = execute(() => {
      attempts++;
      return Promise.reject(new Error('the statement is wrong'));
    });
    await expect(done).rejects.toThrow('the statement is wrong');
    expect(attempts).toBe(1);
  });

  it('are refused when it stays locked for as long as an operation waits', async () => {
    const begunAt = performance.now();
    await expect(execute(() => Promise.reject(lockTimeout()))).rejects.toBeInstanceOf(OverloadedError);
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(PATIENCE_MS - 1);
  });

  it('have those that come later wait for the lock at once, instead of in a batch with other customers', async () => {
    const locked = lockedAccounts();
    const ends: (() => void)[] = [];
    const begun = jest.fn<void, [LockWait]>();
    const waiting = () => new Promise<string[]>((resolve) => ends.push(() => resolve(['done'])));
    const operations = [execute(waiting, locked, begun)];
    await until(() => ends.length === 1);
    operations.push(execute(waiting, locked, begun));
    ends[0]?.();
    await until(() => ends.length === 2);
    ends[1]?.();
    await Promise.all(operations);
    expect(begun.mock.calls.flat()).toEqual(['brief', 'patient', 'patient']);
  });

  it('make others of the customer wait behind them, as long as any of them waits', async () => {
    const locked = lockedAccounts();
    const ends: (() => void)[] = [];
    const waiting = () => new Promise<string[]>((resolve) => ends.push(() => resolve(['done'])));
    const operations = [execute(waiting, locked), execute(waiting, locked)];
    await until(() => ends.length === 1);
    expect(locked.isAwaited('a')).toBe(true);
    ends[0]?.();
    await operations[0];
    expect(locked.isAwaited('a')).toBe(true);
    await until(() => ends.length === 2);
    ends[1]?.();
    await operations[1];
    expect(locked.isAwaited('a')).toBe(false);
  });
});
