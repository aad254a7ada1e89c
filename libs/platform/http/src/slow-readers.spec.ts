import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { endSlowReaders } from './slow-readers';

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
