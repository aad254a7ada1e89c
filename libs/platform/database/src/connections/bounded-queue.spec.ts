import { setImmediate } from 'node:timers/promises';
import { OverloadedError } from '../database-errors';
import { BoundedQueue } from './bounded-queue';

describe('BoundedQueue', () => {
  let now: number;
  let begun: string[];
  let ends: (() => void)[];
  let queue: BoundedQueue;

  beforeEach(() => {
    now = 1000;
    begun = [];
    ends = [];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    queue = new BoundedQueue({ places: 2, placesPerCustomer: 2, patienceMs: 2000 });
  });
  afterEach(() => jest.restoreAllMocks());

  const work = (name: string, customerId = name, options?: { ends?: boolean }) =>
    queue.run(
      customerId,
      () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
      options,
    );
  const finish = async (count: number) => {
    for (let left = count; left > 0; left--) {
      ends.shift()?.();
      await setImmediate();
    }
  };

  it('lets what ends something begun go before what begins something, each in its order', async () => {
    const all = [
      work('one'),
      work('two'),
      work('new 1'),
      work('new 2'),
      work('end 1', 'a', { ends: true }),
      work('end 2', 'b', { ends: true }),
    ];
    await finish(2);
    // One that comes when those before it have begun goes before the others, too.
    all.push(work('end 3', 'c', { ends: true }));
    await finish(all.length - 2);
    await Promise.all(all);
    expect(begun).toEqual(['one', 'two', 'end 1', 'end 2', 'end 3', 'new 1', 'new 2']);
  });

  it('refuses what waited too long, but never what ends something begun', async () => {
    const under = [work('one'), work('two')];
    const late = expect(work('late')).rejects.toBeInstanceOf(OverloadedError);
    const end = work('end', 'a', { ends: true });
    now += 2001;
    await expect(work('later')).rejects.toBeInstanceOf(OverloadedError);
    const lastEnd = work('last end', 'b', { ends: true });
    await finish(4);
    await Promise.all([...under, late, end, lastEnd]);
    expect(begun).toEqual(['one', 'two', 'end', 'last end']);
  });

  describe('with an error for what waits for its customer alone', () => {
    const under = (customerId: string) =>
      queue.run(customerId, () => new Promise<void>((resolve) => ends.push(resolve)));
    beforeEach(() => {
      queue = new BoundedQueue({
        places: 3,
        placesPerCustomer: 1,
        patienceMs: 2000,
        behindOwn: () => new Error('own'),
      });
    });

    it('refuses with it, on arrival too, but not what waits for others', async () => {
      const first = under('a');
      const behindOwn = expect(under('a')).rejects.toThrow('own');
      // Works of others go on ending.
      for (let passed = 0; passed < 3; passed++) {
        const quick = under('quick');
        now += 700;
        if (passed === 2) await expect(under('a')).rejects.toThrow('own');
        ends.pop()?.();
        await quick;
      }
      await behindOwn;
      const others = [under('b'), under('c')];
      const behindAll = expect(under('d')).rejects.toBeInstanceOf(OverloadedError);
      now += 2001;
      await expect(under('d')).rejects.toBeInstanceOf(OverloadedError);
      await finish(3);
      await Promise.all([first, ...others, behindAll]);
    });

    it('does not blame the customer while nothing ends, nor for that time afterwards', async () => {
      const all = [under('a'), under('b')];
      const waited = expect(under('a')).rejects.toBeInstanceOf(OverloadedError);
      now += 2001;
      await expect(under('a')).rejects.toBeInstanceOf(OverloadedError);
      await finish(2);
      await Promise.all([...all, waited]);
    });
  });

  it('refuses in time what waits for works that do not end, if it is to, but for what ends something begun', async () => {
    queue = new BoundedQueue({ places: 1, placesPerCustomer: 1, patienceMs: 20, refusesInTime: true });
    const under = work('one');
    const end = work('end', 'b', { ends: true });
    await expect(work('late')).rejects.toBeInstanceOf(OverloadedError);
    expect(begun).toEqual(['one']);
    await finish(2);
    await Promise.all([under, end]);
    expect(begun).toEqual(['one', 'end']);
  });

  it('tells how long the first has been waiting that no customer of its own holds up', async () => {
    const all = [work('one', 'a'), work('two', 'a'), work('three', 'a')];
    now += 500;
    expect(queue.queueDelayMs()).toBe(0);
    all.push(work('four', 'b'));
    now += 100;
    expect(queue.queueDelayMs()).toBe(100);
    await finish(all.length);
    await Promise.all(all);
    expect(queue.queueDelayMs()).toBe(0);
  });

  it('says how long the others wait although what completes something goes before them', async () => {
    const all = [work('one'), work('two'), work('waits', 'b')];
    now += 700;
    all.push(work('end', 'b', { ends: true }));
    expect(queue.queueDelayMs()).toBe(700);
    await finish(all.length);
    await Promise.all(all);
  });
});
