import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { FairTurns } from './load-shedding';

const TAKES_MS = 3;

/** Keeps the event loop busy. */
function work(ms = TAKES_MS): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('turns at the event loop', () => {
  it('begin at once while they are short', () => {
    const turns = new FairTurns();
    expect(Array.from({ length: 50 }, () => turns.isLate)).toEqual(Array(50).fill(false));
  });

  it('wait when one has become long, and begin anew with the next', async () => {
    const turns = new FairTurns();
    expect(turns.isLate).toBe(false);
    work(10);
    expect(turns.isLate).toBe(true);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(turns.isLate).toBe(false);
  });

  it('go to each party in turn, however many requests one of them has', async () => {
    const turns = new FairTurns();
    const begun: string[] = [];
    const begin = (party: string) => turns.wait(party, () => void (begun.push(party), work()));
    for (let count = 0; count < 20; count++) begin('many');
    begin('few');
    begin('one');
    begin('few');
    while (begun.length < 23) await new Promise(setImmediate);
    expect(begun.slice(0, 5)).toEqual(['many', 'few', 'one', 'many', 'few']);
    expect(begun.slice(5)).toEqual(Array(18).fill('many'));
    expect(turns.longestMs).toBe(0);
  });

  it('begin in the context of their request', async () => {
    const [turns, context] = [new FairTurns(), new AsyncLocalStorage<string>()];
    const begun: [string, string | undefined][] = [];
    for (const name of ['a', 'b', 'c', 'a', 'b'])
      context.run(name, () => turns.wait(name, () => begun.push([name, context.getStore()])));
    while (begun.length < 5) await new Promise(setImmediate);
    for (const [name, store] of begun) expect(store).toBe(name);
  });

  it('let timers and connections have theirs meanwhile, and keep the order of a party', async () => {
    const turns = new FairTurns();
    const begun: number[] = [];
    for (let place = 0; place < 40; place++) turns.wait('many', () => void (begun.push(place), work()));
    expect(turns.longestMs).toBeGreaterThanOrEqual(0);
    const alarm = new EventTarget();
    setTimeout(() => alarm.dispatchEvent(new Event('rang')), 5);
    await once(alarm, 'rang');
    // Not after all of them.
    expect(begun.length).toBeLessThan(20);
    expect(turns.longestMs).toBeGreaterThan(0);
    while (begun.length < 40) await new Promise(setImmediate);
    expect(begun).toEqual(begun.toSorted((a, b) => a - b));
  });
});
