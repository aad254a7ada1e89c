import { buffer } from 'node:stream/consumers';
import { until } from '@test/until';
import { BodyStream, ByteBudget } from './reply-body';

const flow = () => ({ pause: jest.fn(), resume: jest.fn() });

describe('the bytes of replies in memory', () => {
  it('are counted once, whatever the attempts of a call', () => {
    const budget = new ByteBudget(100);
    const lease = budget.open();
    lease.add(60, flow());
    lease.clear();
    expect(budget.used).toBe(0);
    lease.add(30, flow());
    expect(budget.used).toBe(30);
    lease.clear();
    lease.clear();
    expect(budget.used).toBe(0);
  });

  it('may be more than the budget for the oldest reply alone; others pause until it has ended', () => {
    const budget = new ByteBudget(100);
    const [oldest, next, last] = [budget.open(), budget.open(), budget.open()];
    const [first, second, third] = [flow(), flow(), flow()];
    oldest.add(150, first);
    next.add(1, second);
    last.add(100, third);
    expect([first, second, third].map(({ pause }) => pause.mock.calls.length)).toEqual([0, 1, 1]);
    oldest.clear();
    // 101 bytes are still too many for the last.
    expect([second, third].map(({ resume }) => resume.mock.calls.length)).toEqual([1, 0]);
    next.clear();
    expect([second, third].map(({ resume }) => resume.mock.calls.length)).toEqual([1, 1]);
  });

  it('are those of the oldest reply that has some: calls that wait for theirs hold up none', () => {
    const budget = new ByteBudget(100);
    budget.open();
    const [first, second] = [budget.open(), budget.open()];
    const [one, other] = [flow(), flow()];
    first.add(60, one);
    second.add(60, other);
    first.add(10, one);
    expect([one, other].map(({ pause }) => pause.mock.calls.length)).toEqual([0, 1]);
    // Another attempt of the first begins.
    first.clear();
    expect(other.resume).toHaveBeenCalledTimes(1);
  });

  it('of a reply that was given up while it was paused do not resume it', () => {
    const budget = new ByteBudget(10);
    const [oldest, paused] = [budget.open(), budget.open()];
    const [first, second] = [flow(), flow()];
    oldest.add(20, first);
    paused.add(5, second);
    paused.clear();
    oldest.clear();
    expect(second.resume).not.toHaveBeenCalled();
    expect(budget.used).toBe(0);
  });
});

describe('a streamed body', () => {
  const LARGE = 200_000;
  const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

  async function begin() {
    const stream = new BodyStream();
    const connection = { ...flow(), failure: jest.fn() };
    stream.begin(200, {}, connection);
    const { content } = await stream.opened;
    return { stream, connection, content };
  }

  it('waits on its connection while its reader is behind', async () => {
    const { stream, connection, content } = await begin();
    stream.push(Buffer.alloc(LARGE));
    await nextTick();
    expect(connection.pause).toHaveBeenCalled();
    expect(connection.resume).not.toHaveBeenCalled();
    const read = buffer(content);
    await until(() => connection.resume.mock.calls.length > 0);
    void stream.end();
    expect((await read).length).toBe(LARGE);
  });

  it('of small pieces holds few of them for a reader that is behind', async () => {
    const { stream, connection } = await begin();
    let waiting = 0;
    for (const bytes = 100; connection.pause.mock.calls.length === 0; waiting += bytes) {
      stream.push(Buffer.alloc(bytes));
      await nextTick();
    }
    expect(waiting).toBeLessThan(20_000);
  });

  it.each(['end', 'fail'] as const)(
    'that has come to its %s leaves the connection to the call behind it',
    async (how) => {
      const { stream, connection, content } = await begin();
      stream.push(Buffer.alloc(LARGE));
      if (how === 'end') void stream.end();
      else stream.fail(new Error('cut off'));
      const read = buffer(content);
      if (how === 'end') expect((await read).length).toBe(LARGE);
      else await expect(read).rejects.toThrow('cut off');
      expect([connection.pause, connection.resume].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    },
  );
});
