import { readAtScrape, withinScrape } from './read-at-scrape';

describe('a read for the gauges of a scrape', () => {
  it('is one for all of them, and another for the next scrape', async () => {
    const read = jest.fn(() => Promise.resolve(1));
    const ask = readAtScrape(read, fail);
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    expect(read).toHaveBeenCalledTimes(1);
    await ask();
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('gives nothing if it fails, and tells why', async () => {
    const failed = jest.fn();
    expect(await readAtScrape(() => Promise.reject(new Error('no luck')), failed)()).toBeUndefined();
    expect(failed).toHaveBeenCalledWith(new Error('no luck'));
  });

  it('gives nothing in time if it hangs, and is not begun twice', async () => {
    const read = jest.fn(() => new Promise<number>(() => undefined));
    const ask = readAtScrape(read, fail);
    expect(await Promise.all([ask(), ask()])).toEqual([undefined, undefined]);
    expect(await withinScrape(0.01, ask)).toBeUndefined();
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('leaves time to a scrape that is given up soon', async () => {
    const ask = readAtScrape(() => new Promise<number>(() => undefined), fail);
    const began = performance.now();
    expect(await withinScrape(0.1, ask)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

function fail(error: unknown): void {
  throw error;
}
