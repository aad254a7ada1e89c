import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LinkedList } from './linked-list';

describe('A list', () => {
  it('has its values in the order in which they were added, without those that were removed', () => {
    const list = new LinkedList<string>();
    expect([list.size, list.oldest?.value, [...list]]).toEqual([0, undefined, []]);
    const [first, second, third] = ['first', 'second', 'third'].map((value) => list.add(value));
    expect([list.size, list.oldest?.value, [...list]]).toEqual([3, 'first', ['first', 'second', 'third']]);
    expect(second?.remove()).toBe(true);
    expect([list.size, list.oldest?.value, [...list]]).toEqual([2, 'first', ['first', 'third']]);
    expect(first?.remove()).toBe(true);
    expect([list.size, list.oldest?.value, [...list]]).toEqual([1, 'third', ['third']]);
    expect(third?.remove()).toBe(true);
    list.add('fourth');
    expect([list.size, list.oldest?.value, [...list]]).toEqual([1, 'fourth', ['fourth']]);
  });

  it('takes a value out once', () => {
    const list = new LinkedList<string>();
    const entry = list.add('a');
    list.add('b');
    expect([entry.remove(), entry.remove(), list.size, [...list]]).toEqual([true, false, 1, ['b']]);
  });

  it('holds the same value as often as it was added', () => {
    const list = new LinkedList<undefined>();
    const entry = list.add(undefined);
    list.add(undefined);
    expect([...list]).toEqual([undefined, undefined]);
    entry.remove();
    expect([...list]).toEqual([undefined]);
  });

  it('goes on when the value that is looked at is removed', () => {
    const list = new LinkedList<string>();
    const entries = new Map(['a', 'b', 'c'].map((value) => [value, list.add(value)]));
    const seen: string[] = [];
    for (const value of list) {
      seen.push(value);
      entries.get(value)?.remove();
    }
    expect([seen, list.size]).toEqual([['a', 'b', 'c'], 0]);
  });

  describe('through which many values pass', () => {
    const MANY = 20_000;
    const AT_ONCE = 64;
    const BYTES_EACH = 8 * 100;

    /** The bytes that small collections leave after many values have passed, {@link AT_ONCE} of them at a time. */
    function leftAfter(add: (value: unknown) => () => void): number {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
      collect();
      const before = process.memoryUsage().heapUsed;
      const removals: (() => void)[] = [];
      for (let count = 1; count <= MANY; count++) {
        removals.push(add(new Array(BYTES_EACH / 8).fill(count)));
        if (removals.length < AT_ONCE) continue;
        const [oldest] = removals.splice(0, 1);
        oldest?.();
        if (count % AT_ONCE === 0) collect({ type: 'minor' });
      }
      return process.memoryUsage().heapUsed - before;
    }

    it('leaves them to the next small collections, where a Set keeps them', () => {
      const list = new LinkedList<unknown>();
      const ofList = leftAfter((value) => {
        const entry = list.add(value);
        return () => entry.remove();
      });
      expect(ofList).toBeLessThan((MANY * BYTES_EACH) / 10);
      const set = new Set<unknown>();
      const ofSet = leftAfter((value) => {
        set.add(value);
        return () => set.delete(value);
      });
      expect(ofSet).toBeGreaterThan((MANY * BYTES_EACH) / 4);
    });
  });
});
