import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { discardRest } from './discard-rest';

const MB = 1024 * 1024;

describe('discardRest', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  function begin() {
    const body = new PassThrough({ highWaterMark: 64 * MB });
    const overran = jest.fn();
    let ended = false;
    const done = discardRest(body as unknown as IncomingMessage, overran).then(() => (ended = true));
    return { body, overran, done, isOver: () => ended };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('ends with the body', async () => {
    const { body, overran, done } = begin();
    body.end(Buffer.alloc(MB));
    await done;
    jest.advanceTimersByTime(60_000);
    expect(overran).not.toHaveBeenCalled();
  });

  it('ends with the caller', async () => {
    const { body, overran, done } = begin();
    body.destroy(new Error('reset'));
    await done;
    expect(overran).not.toHaveBeenCalled();
  });

  it('takes 32 MB and no byte more', async () => {
    const { body, overran, isOver } = begin();
    for (let sent = 0; sent < 32; sent++) body.write(Buffer.alloc(MB));
    await settle();
    expect(overran).not.toHaveBeenCalled();
    body.write('a');
    await settle();
    expect(overran).toHaveBeenCalledTimes(1);
    expect(isOver()).toBe(true);
    expect(body.isPaused()).toBe(true);
  });

  it('takes 10 seconds, however slowly the body comes', async () => {
    const { body, overran, isOver } = begin();
    for (let second = 0; second < 9; second++) {
      body.write('a');
      await settle();
      jest.advanceTimersByTime(1000);
    }
    jest.advanceTimersByTime(999);
    expect(overran).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    await settle();
    expect(overran).toHaveBeenCalledTimes(1);
    expect(isOver()).toBe(true);
  });
});
