import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TokenUsage } from '../../ledger/credit-ledger.port';
import type { UpstreamMessageStream } from '../../ports/ai-upstream.port';
import { ReplyStream } from './reply-stream';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of memory that are in use. */
function inUse(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('ReplyStream', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  const open = (room = Infinity) => {
    const settled = Promise.withResolvers<void>();
    const all = Promise.withResolvers<Awaited<ReturnType<UpstreamMessageStream['read']>>>();
    let pass: (events: Buffer) => void = () => undefined;
    const source = {
      requestId: null,
      pause: jest.fn(),
      resume: jest.fn(),
      read: (to: typeof pass) => {
        pass = to;
        return all.promise;
      },
    };
    const stream = new ReplyStream(1_000);
    const received = jest.fn();
    const settle = jest.fn((_usage: TokenUsage, _events: Buffer | null) => settled.promise);
    let used = 0;
    const memory = {
      take: (bytes: number) => used + bytes <= room && (used += bytes) > 0,
      give: (bytes: number) => void (used -= bytes),
    };
    const relayed = stream.relay(source, { received, memory, settle, brokeOff: (error) => Promise.resolve(error) });
    relayed.catch(() => undefined);
    return {
      ...{ source, stream, all, received, settle, settled, relayed },
      pass: (events: Buffer) => pass(events),
      used: () => used,
    };
  };
  const USAGE: TokenUsage = { input: 1, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 1 };
  /** More than waits for a reader without pausing the source. */
  const MUCH = Buffer.alloc(64 * 1024);

  it('pauses its source while its reader does not keep up', () => {
    const { source, stream, pass } = open();
    pass(MUCH);
    expect(source.pause).toHaveBeenCalledTimes(1);
    stream.read();
    expect(source.resume).toHaveBeenCalledTimes(1);
  });

  it('keeps its events while there is memory for them, and gives it back', async () => {
    const last = Buffer.from('last');
    for (const [room, kept] of [
      [8_191, null],
      [8_192, Buffer.concat([Buffer.alloc(8_000), last])],
    ] as const) {
      const { pass, all, settle, settled, relayed, used } = open(room);
      for (const before of [0, 4_096]) {
        expect(used()).toBe(before);
        pass(Buffer.alloc(4_000));
      }
      all.resolve({ usage: USAGE, lastEvent: last });
      settled.resolve();
      await relayed;
      expect(settle.mock.calls).toEqual([[USAGE, kept]]);
      expect(used()).toBe(0);
    }
  });

  it('has no copy of its events any more while they are stored', async () => {
    const { stream, pass, all, settle, settled, relayed, used } = open();
    stream.destroy();
    // Large ones are not copied when they come.
    const memory = Array.from({ length: 3 }, () => {
      const piece = Buffer.allocUnsafeSlow(20_000);
      pass(piece);
      return new WeakRef(piece.buffer);
    });
    all.resolve({ usage: USAGE, lastEvent: Buffer.from('last') });
    await setImmediate();
    expect(settle).toHaveBeenCalledTimes(1);
    collect();
    expect(memory.map((buffer) => buffer.deref())).toEqual([undefined, undefined, undefined]);
    expect(used()).toBe(60_000);
    settled.resolve();
    await relayed;
    expect(used()).toBe(0);
  });

  it('keeps events that come one by one in about as many bytes as they have', () => {
    const { stream, pass, received, used } = open();
    stream.destroy();
    const [bytes, count] = [100, 100_000];
    const before = inUse();
    for (let event = 0; event < count; event++) pass(Buffer.allocUnsafeSlow(bytes));
    received.mockReset();
    // One by one they take three times as many.
    expect(inUse() - before).toBeLessThan(2.5 * bytes * count);
    expect(used() / (bytes * count)).toBeCloseTo(1, 1);
  });

  it('gives the memory of its events back when it breaks off', async () => {
    const { pass, all, relayed, used } = open();
    pass(Buffer.alloc(3));
    expect(used()).toBe(4_096);
    all.reject(new Error('cut off'));
    await expect(relayed).rejects.toThrow('cut off');
    expect(used()).toBe(0);
  });

  it('tells the bytes of each piece, also those that come after its reader has gone', () => {
    const { stream, pass, received } = open();
    pass(Buffer.alloc(3));
    stream.destroy();
    pass(Buffer.alloc(5));
    expect(received.mock.calls).toEqual([[3], [5]]);
  });

  it('gives up a reader that has held it up for too long in all', () => {
    const { source, stream, pass } = open();
    for (let count = 0; count < 3; count++) {
      pass(MUCH);
      jest.advanceTimersByTime(300);
      stream.read();
      // The time that the source takes does not count.
      jest.advanceTimersByTime(5_000);
    }
    pass(MUCH);
    jest.advanceTimersByTime(99);
    expect(stream.destroyed).toBe(false);
    jest.advanceTimersByTime(2);
    expect(stream.destroyed).toBe(true);
    expect(source.resume).toHaveBeenCalledTimes(4);
  });

  it('counts a time that its reader held it up once, though its source sends more meanwhile', () => {
    const { stream, pass } = open();
    pass(MUCH);
    jest.advanceTimersByTime(400);
    pass(MUCH);
    stream.read();
    jest.advanceTimersByTime(5_000);
    expect(stream.destroyed).toBe(false);
    pass(MUCH);
    jest.advanceTimersByTime(599);
    expect(stream.destroyed).toBe(false);
    jest.advanceTimersByTime(2);
    expect(stream.destroyed).toBe(true);
  });

  it('withholds the last event until the message is charged, and gives all events to be kept', async () => {
    const { stream, pass, all, settle, settled, relayed } = open();
    pass(Buffer.from('first'));
    all.resolve({ usage: USAGE, lastEvent: Buffer.from('last') });
    await Promise.resolve();
    await Promise.resolve();
    expect(settle).toHaveBeenCalledWith(USAGE, Buffer.from('firstlast'));
    expect(String(stream.read())).toBe('first');
    settled.resolve();
    await relayed;
    expect(String(stream.read())).toBe('last');
  });

  it('never sends the last event of a message that is not charged', async () => {
    const { stream, pass, all, settled, relayed } = open();
    pass(Buffer.from('first'));
    all.resolve({ usage: USAGE, lastEvent: Buffer.from('last') });
    settled.reject(new Error('not stored'));
    await expect(relayed).rejects.toThrow('not stored');
    expect(String(stream.read())).toBe('first');
    expect(stream.read()).toBeNull();
  });
});
