import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { loadConfig } from '@platform/config';
import { ReplyMemory } from './reply-memory';

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
