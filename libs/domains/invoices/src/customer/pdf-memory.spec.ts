import { loadConfig } from '@platform/config';
import { PdfMemoryService } from './pdf-memory.service';

describe('PdfMemory', () => {
  const never = new AbortController().signal;
  const memory = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '2' }));
  afterAll(() => memory.onApplicationShutdown());

  it('never exceeds its bound, even if many find free memory at once', async () => {
    const customers = ['a', 'b', 'c', 'd', 'e', 'f'];
    const places = await Promise.all(customers.map((customer) => memory.enter(customer, never)));
    const files = places.map((place) => {
      try {
        return place.fill(Buffer.alloc(900_000));
      } catch (error) {
        place.leave();
        return error;
      }
    });
    const refused = files.filter((file) => file instanceof Error);
    expect(refused).toEqual(Array(4).fill(expect.objectContaining({ code: 'service_unavailable' })));
    const [first] = files as { destroy(): void }[];
    first?.destroy();
    // Memory is free again, also for those who were refused.
    const place = await memory.enter('c', never);
    expect(() => place.fill(Buffer.alloc(900_000))).not.toThrow();
  });

  it('has four places for a customer, and others for others', async () => {
    const own = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '2' }));
    const places = await Promise.all(Array.from({ length: 4 }, () => own.enter('a', never)));
    await expect(own.enter('a', never)).rejects.toMatchObject({ code: 'rate_limited' });
    (await own.enter('b', never)).leave();
    places[0]?.leave();
    (await own.enter('a', never)).leave();
    own.onApplicationShutdown();
  });

  it('disconnects a reader that takes nothing for ten seconds, though there is memory for others', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const own = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '2' }));
    try {
      const [still, reading] = [await own.enter('a', never), await own.enter('a', never)].map((place) =>
        place.fill(Buffer.alloc(900_000)),
      );
      const told = new Promise((resolve) => still?.once('error', resolve));
      for (let second = 0; second < 9; second++) {
        jest.advanceTimersByTime(1000);
        reading?.read();
      }
      expect([still?.destroyed, reading?.destroyed]).toEqual([false, false]);
      jest.advanceTimersByTime(2000);
      expect([still?.destroyed, reading?.destroyed]).toEqual([true, false]);
      expect(await told).toMatchObject({ message: 'The reader of a PDF is too slow' });
    } finally {
      own.onApplicationShutdown();
      jest.useRealTimers();
    }
  });

  it('disconnects the slowest reader for another file while memory is short, and none that took something within a second', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const own = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '2' }));
    try {
      const places = await Promise.all(['a', 'b', 'c', 'd'].map((customer) => own.enter(customer, never)));
      const [one, two, three, four] = places.map(
        (place) => () => place.fill(Buffer.alloc(900_000)).on('error', () => undefined),
      );
      const slowest = one!();
      jest.advanceTimersByTime(500);
      const slow = two!();
      jest.advanceTimersByTime(1_500);
      const third = three!();
      expect([slowest.destroyed, slow.destroyed]).toEqual([true, false]);
      slow.read();
      jest.advanceTimersByTime(900);
      expect(four!).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
      expect([slow.destroyed, third.destroyed]).toEqual([false, false]);
    } finally {
      own.onApplicationShutdown();
      jest.useRealTimers();
    }
  });

  it('accepts a single file that is larger than the bound', async () => {
    const alone = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '1' }));
    const place = await alone.enter('a', never);
    expect(() => place.fill(Buffer.alloc(3_000_000))).not.toThrow();
    alone.onApplicationShutdown();
  });
});
