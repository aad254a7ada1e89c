import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadConfig } from '@platform/config';
import { mostConnections, onReplyClosed } from './connections';

const newReply = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('onReplyClosed', () => {
  it('does each work once, with one listener', () => {
    const reply = newReply();
    const done: string[] = [];
    onReplyClosed(reply, () => done.push('first'));
    onReplyClosed(reply, () => done.push('second'));
    expect(reply.listenerCount('close')).toBe(1);
    reply.emit('close');
    reply.emit('close');
    expect(done).toEqual(['first', 'second']);
  });

  it('keeps no reply alive that is done with, not even until the next major garbage collection', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
    const REPLIES = 200;
    const BYTES_EACH = 100_000;
    const answer = () => {
      const reply = Object.assign(newReply(), { content: new Array<number>(BYTES_EACH / 8).fill(0.5) });
      onReplyClosed(reply, () => void reply.statusCode);
      reply.emit('close');
    };
    collect({ type: 'major' });
    const before = getHeapStatistics().used_heap_size;
    for (let index = 0; index < REPLIES; index++) answer();
    // Twice: what is alive in the first is copied, what is alive in the second stays until the next major collection.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    const kept = getHeapStatistics().used_heap_size - before;
    expect(kept).toBeLessThan((REPLIES * BYTES_EACH) / 4);
  });
});

describe('mostConnections', () => {
  const config = loadConfig({});

  it('leaves descriptors for the database, and half of the rest for upstreams', () => {
    expect([256, 257, 258].map((descriptors) => mostConnections(config, descriptors))).toEqual([85, 86, 86]);
    expect(mostConnections(config, 1024)).toBe(469);
  });

  it('is what the settings say where there are enough', () => {
    expect(mostConnections(config, 1_000_000)).toBe(config.CLIENT_CONNECTIONS);
    expect(mostConnections(config, Infinity)).toBe(config.CLIENT_CONNECTIONS);
  });

  it('allows a few connections even with hardly any descriptors', () => {
    expect(mostConnections(config, 64)).toBeGreaterThan(0);
  });
});
