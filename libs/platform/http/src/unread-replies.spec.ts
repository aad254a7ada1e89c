import { EventEmitter } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { loadConfig } from '@platform/config';
import { endSlowReaders, ReplyMemory } from './unread-replies';

/** A reply of which this many bytes wait for its reader. */
class FakeReply extends EventEmitter {
  readonly socket: { writableLength: number };
  destroyed = false;

  constructor(waiting: number) {
    super();
    this.socket = { writableLength: waiting };
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('ReplyMemory', () => {
  const arrange = () => new ReplyMemory(loadConfig({ NODE_ENV: 'test', REPLY_MEMORY_BYTES: '100' }));
  const take = (memory: ReplyMemory, reply: FakeReply, party: string, bytes: number) =>
    memory.take(reply as unknown as ServerResponse, party, bytes);

  it('is given back when a reply is closed', () => {
    const memory = arrange();
    const reply = new FakeReply(40);
    expect(take(memory, reply, 'me', 40)).toBe('granted');
    expect(take(memory, new FakeReply(40), 'me', 40)).toBe('share_used');
    expect(() => memory.admit('other')).not.toThrow();
    reply.emit('close');
    expect(memory.bytes).toBe(0);
    expect(take(memory, new FakeReply(40), 'me', 40)).toBe('granted');
  });

  it('is given to the reply of a write, for which the oldest of those that nobody reads are ended', () => {
    const memory = arrange();
    const [read, oldest, later, others] = [new FakeReply(0), new FakeReply(9), new FakeReply(9), new FakeReply(9)];
    for (const reply of [read, oldest, later]) expect(take(memory, reply, 'me', 15)).toBe('granted');
    expect(take(memory, others, 'other', 15)).toBe('granted');
    const write = new FakeReply(0);
    memory.takeAnyway(write as unknown as ServerResponse, 'me', 10);
    expect([read, oldest, later, others].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
    expect(memory.bytes).toBe(55);
    // Even if there is no room for it.
    memory.takeAnyway(new FakeReply(0) as unknown as ServerResponse, 'me', 90);
    expect(memory.bytes).toBe(130);
    expect(() => memory.admit('me')).not.toThrow();
  });
});

/** A connection as the watch sees it. */
class FakeSocket extends EventEmitter {
  writableLength = 0;
  readonly _handle = { bytesWritten: 0, writeQueueSize: 0 };
  destroyed = false;

  /** So many bytes wait, and so many were taken in all. */
  set(waiting: number, taken: number): void {
    this.writableLength = waiting;
    this._handle.writeQueueSize = waiting;
    this._handle.bytesWritten = taken + waiting;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('slow readers', () => {
  const server = new EventEmitter();
  const kB = 1024;
  let ended = 0;
  beforeAll(() => {
    jest.useFakeTimers();
    endSlowReaders(server as unknown as Server, 10_000, () => ended++);
  });
  afterAll(() => {
    server.emit('close');
    jest.useRealTimers();
  });
  const connected = () => {
    const socket = new FakeSocket();
    server.emit('connection', socket);
    return socket;
  };
  beforeEach(() => (ended = 0));

  it('are disconnected when they take less than 64 kB in 10 s while bytes wait', () => {
    const socket = connected();
    socket.set(500 * kB, 0);
    for (let second = 0; second < 10; second++) {
      jest.advanceTimersByTime(1000);
      socket.set(500 * kB, second * 6 * kB);
      expect(socket.destroyed).toBe(false);
    }
    jest.advanceTimersByTime(1000);
    expect([socket.destroyed, ended]).toEqual([true, 1]);
  });

  it('are not those who take more, nor those for whom nothing waits', () => {
    const [steady, idle, all] = [connected(), connected(), connected()];
    steady.set(500 * kB, 0);
    for (let second = 1; second <= 60; second++) {
      jest.advanceTimersByTime(1000);
      steady.set(500 * kB, second * 7 * kB);
      // Now and then a reply waits for a moment.
      all.set(second % 9 === 0 ? 0 : 100, second);
    }
    expect([steady.destroyed, idle.destroyed, all.destroyed, ended]).toEqual([false, false, false, 0]);
  });
});
