import { noteBatch, ReadCost, UsualTime } from './slow-reads';

describe('the cost of reads', () => {
  it('is that of slow ones until one by itself was quick', () => {
    const cost = new ReadCost();
    cost.noteTime(true, false);
    cost.noteTime(false, false);
    expect(cost.tookLong).toBe(true);
    cost.noteTime(false, true);
    expect(cost.tookLong).toBe(false);
  });

  it('is that of large ones for a minute after the last', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
    const cost = new ReadCost();
    cost.noteBytes(32_767);
    expect(cost.isLarge).toBe(false);
    cost.noteBytes(32_768);
    now.mockReturnValue(60_000);
    cost.noteBytes(10);
    expect(cost.isLarge).toBe(true);
    now.mockReturnValue(61_001);
    expect(cost.isLarge).toBe(false);
    now.mockRestore();
  });

  it('is not known before one was answered: further ones wait for that', async () => {
    const cost = new ReadCost();
    const begun = (count: number) => Array.from({ length: count }, () => cost.begin());
    begun(2);
    expect(cost.isFull).toBe(true);
    let free = 0;
    const read = () => {
      cost.begin();
      free++;
      return Promise.resolve();
    };
    const waiting = Array.from({ length: 40 }, () => cost.whenFree(read));
    cost.end();
    await Promise.all(waiting.slice(0, 31));
    expect(free).toBe(31);
    expect(cost.isFull).toBe(true);
    for (let count = 0; count < 9; count++) cost.end();
    await Promise.all(waiting);
    expect(free).toBe(40);
  });

  it('lets the next one in for one that waited and does not begin', async () => {
    const cost = new ReadCost();
    cost.begin();
    cost.noteTime(true, true);
    const gone = cost.whenFree(() => Promise.reject(new Error('gone')));
    const next = cost.whenFree(() => {
      cost.begin();
      return Promise.resolve('read');
    });
    cost.end();
    await expect(gone).rejects.toThrow('gone');
    expect(await next).toBe('read');
  });
});

describe('a batch of reads that took long', () => {
  const took = (ms: number, ...bytes: number[]) => {
    const usual = new UsualTime();
    const costs = bytes.map(() => new ReadCost(usual));
    noteBatch(costs, bytes, ms);
    return costs.map(({ tookLong }) => tookLong);
  };

  it('is laid to the large ones', () => expect(took(50, 10, 40_000, 20)).toEqual([false, true, false]));
  it('is laid to all if none is large', () => expect(took(50, 10, 20)).toEqual([true, true]));
  it('is laid to none if it was quick', () => expect(took(5, 10, 40_000)).toEqual([false, false]));
});

describe('the time of a read', () => {
  it('is long from 30 ms on', () => {
    const usual = new UsualTime();
    for (let count = 0; count < 100; count++) usual.note(2);
    expect([usual.isLong(29), usual.isLong(30)]).toEqual([false, true]);
  });

  it('is not long while all take as long, and is again when they no longer do', () => {
    const usual = new UsualTime();
    for (let count = 0; count < 200; count++) usual.note(50);
    expect([usual.isLong(60), usual.isLong(400)]).toEqual([false, true]);
    for (let count = 0; count < 200; count++) usual.note(2);
    expect(usual.isLong(60)).toBe(true);
  });

  it('is long beside quick ones, however long it is', () => {
    const usual = new UsualTime();
    let long = 0;
    for (let count = 0; count < 300; count++) long += Number(usual.note(count % 3 === 0 ? 5000 : 2));
    expect(long).toBe(100);
  });
});
