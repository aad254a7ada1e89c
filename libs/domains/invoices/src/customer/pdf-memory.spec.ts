import { randomBytes } from 'node:crypto';
import { loadConfig } from '@platform/config';
import { ClientGoneError } from '@platform/context';
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
    await expect(own.enter('a', never)).rejects.toMatchObject({
      ...{ code: 'rate_limited', options: { retryAfterSeconds: 5 } },
    });
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

  it('disconnects the reader that took something longest ago, whoever came first, also for one that waits for memory', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const own = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '2' }));
    try {
      const fill = async (customer: string, bytes: number) =>
        (await own.enter(customer, never)).fill(Buffer.alloc(bytes)).on('error', () => undefined);
      const [first, second] = [await fill('a', 900_000), await fill('b', 900_000)];
      await jest.advanceTimersByTimeAsync(200);
      first.read();
      await jest.advanceTimersByTimeAsync(1_500);
      const third = await fill('c', 1_197_152);
      expect([first.destroyed, second.destroyed]).toEqual([false, true]);
      // The memory is full: the next one waits until the first has taken nothing for a second, and no longer.
      first.read();
      third.read();
      await jest.advanceTimersByTimeAsync(300);
      third.read();
      const waiting = fill('d', 100);
      await jest.advanceTimersByTimeAsync(600);
      expect(first.destroyed).toBe(false);
      await jest.advanceTimersByTimeAsync(200);
      expect([first.destroyed, third.destroyed, (await waiting).destroyed]).toEqual([true, false, false]);
    } finally {
      own.onApplicationShutdown();
      jest.useRealTimers();
    }
  });

  it('has whoever comes while it is full wait until a reader is done, for ten seconds at most, or until they leave', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const own = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '1' }));
    try {
      const gone = new AbortController();
      /** A file that fills the memory, and is read all the time. */
      const fill = async () => (await own.enter('a', never)).fill(Buffer.alloc(3_000_000));
      const outcome = (entered: Promise<unknown>) =>
        entered.then(
          () => 'in',
          (error: unknown) => error,
        );
      let file = await fill();
      const pass = async (seconds: number) => {
        for (let half = 0; half < 2 * seconds; half++) {
          await jest.advanceTimersByTimeAsync(500);
          file.read();
        }
      };
      /** How it has ended so far. */
      const soFar = (ended: Promise<unknown>) => Promise.race([ended, Promise.resolve('waits')]);
      const waiting = outcome(own.enter('b', never));
      const leaving = outcome(own.enter('c', gone.signal));
      await pass(9);
      expect([await soFar(waiting), await soFar(leaving)]).toEqual(['waits', 'waits']);
      gone.abort();
      await pass(0.5);
      expect(await soFar(leaving)).toBeInstanceOf(ClientGoneError);
      file.destroy();
      await jest.advanceTimersByTimeAsync(100);
      expect(await soFar(waiting)).toBe('in');
      file = await fill();
      const refused = Promise.all(Array.from({ length: 4 }, () => outcome(own.enter('c', never))));
      await pass(9.5);
      expect(await soFar(refused)).toBe('waits');
      await pass(1);
      const full = expect.objectContaining({
        code: 'service_unavailable',
        options: { retryAfterSeconds: 5 },
      }) as unknown;
      expect(await soFar(refused)).toEqual(Array(4).fill(full));
      // They have no place any more.
      file.destroy();
      await expect(own.enter('c', never)).resolves.toBeDefined();
    } finally {
      own.onApplicationShutdown();
      jest.useRealTimers();
    }
  });

  it('accepts a single file that is larger than the bound, gives every byte of it, and then has room for another', async () => {
    const alone = new PdfMemoryService(loadConfig({ NODE_ENV: 'test', INVOICE_PDF_MEMORY_MB: '1' }));
    const bytes = randomBytes(3_000_001);
    const file = (await alone.enter('a', never)).fill(bytes);
    const next = await alone.enter('b', AbortSignal.abort()).catch((error: unknown) => error);
    expect(next).toBeInstanceOf(ClientGoneError);
    expect(Buffer.concat((await file.toArray()) as Buffer[]).equals(bytes)).toBe(true);
    const another = (await alone.enter('b', never)).fill(bytes);
    alone.onApplicationShutdown();
    expect(another.destroyed).toBe(true);
  });
});
