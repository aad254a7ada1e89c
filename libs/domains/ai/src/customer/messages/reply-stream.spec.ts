import { ReplyStream } from './reply-stream';

describe('ReplyStream', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  const open = () => {
    const source = { pause: jest.fn(), resume: jest.fn() };
    const stream = new ReplyStream(1_000);
    stream.follow(source);
    return { source, stream };
  };
  /** More than waits for a reader without pausing the source. */
  const MUCH = Buffer.alloc(64 * 1024);

  it('pauses its source while its reader does not keep up', () => {
    const { source, stream } = open();
    stream.pass(MUCH);
    expect(source.pause).toHaveBeenCalledTimes(1);
    stream.read();
    expect(source.resume).toHaveBeenCalledTimes(1);
  });

  it('gives up a reader that has held it up for too long in all', () => {
    const { source, stream } = open();
    for (let count = 0; count < 3; count++) {
      stream.pass(MUCH);
      jest.advanceTimersByTime(300);
      stream.read();
      // What the source takes does not count.
      jest.advanceTimersByTime(5_000);
    }
    stream.pass(MUCH);
    jest.advanceTimersByTime(99);
    expect(stream.destroyed).toBe(false);
    jest.advanceTimersByTime(2);
    expect(stream.destroyed).toBe(true);
    expect(source.resume).toHaveBeenCalledTimes(4);
  });

  it('counts a time that its reader held it up once, though its source sends more meanwhile', () => {
    const { stream } = open();
    stream.pass(MUCH);
    jest.advanceTimersByTime(400);
    stream.pass(MUCH);
    stream.read();
    jest.advanceTimersByTime(5_000);
    expect(stream.destroyed).toBe(false);
    stream.pass(MUCH);
    jest.advanceTimersByTime(599);
    expect(stream.destroyed).toBe(false);
    jest.advanceTimersByTime(2);
    expect(stream.destroyed).toBe(true);
  });
});
