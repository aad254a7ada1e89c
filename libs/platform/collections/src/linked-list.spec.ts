import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LinkedList, type ListEntry } from './linked-list';

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

  it('leaves the values that have passed through it to small collections', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
    const [many, atOnce, bytesEach] = [20_000, 64, 8 * 100];
    const list = new LinkedList<unknown>();
    const entries: ListEntry<unknown>[] = [];
    collect();
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    for (let count = 1; count <= many; count++) {
      // Made by a builtin: arrays of a literal or a constructor may be allocated as old ones, when enough of them have lived on.
      entries.push(list.add(Array.from({ length: bytesEach / 8 }, () => count)));
      if (entries.length < atOnce) continue;
      entries.shift()?.remove();
      if (count % atOnce > 0) continue;
      collect({ type: 'minor' });
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
    // Through a Set, a third of all bytes stay.
    expect(most).toBeLessThan((many * bytesEach) / 6);
  });
});
