import { fc } from '@test/fast-check';
import { FairSlots, HeldShares } from './held-shares';

const CAPACITY = 32;
const party = fc.constantFrom('a', 'b', 'c', 'd');
const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('take' as const), party, amount: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ does: fc.constant('give' as const), party, amount: fc.integer({ min: 1, max: 9 }) }),
  ),
  { maxLength: 80 },
);

describe('HeldShares', () => {
  it('never give more than there is, and always leave something for the next party', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const shares = new HeldShares(CAPACITY);
        const held = new Map<string, number>();
        const sum = () => [...held.values()].reduce((all, one) => all + one, 0);
        for (const { does, party, amount } of steps) {
          const own = held.get(party) ?? 0;
          if (does === 'give') {
            const given = Math.min(amount, own);
            shares.give(party, given);
            held.set(party, own - given);
          } else if (shares.take(party, amount) === 'granted') {
            expect(own + amount).toBeLessThanOrEqual(CAPACITY - sum());
            held.set(party, own + amount);
          }
          expect(shares.total).toBe(sum());
          expect(shares.amountOf(party)).toBe(held.get(party) ?? 0);
        }
        if (sum() < CAPACITY) expect(shares.check('newcomer')).toBe('granted');
      }),
    );
  });

  it('give one party half, and two a third each', () => {
    const takeAll = (shares: HeldShares, ...parties: string[]) => {
      for (let turn = 0; turn < CAPACITY; turn++) for (const party of parties) shares.take(party);
      return parties.map((party) => shares.amountOf(party));
    };
    expect(takeAll(new HeldShares(32), 'a')).toEqual([16]);
    expect(takeAll(new HeldShares(30), 'a', 'b')).toEqual([10, 10]);
    const taken = new HeldShares(32);
    takeAll(taken, 'a');
    expect(taken.take('a')).toBe('share_used');
    expect(taken.take('b', 17)).toBe('all_used');
    expect(taken.take('b', 16)).toBe('granted');
    expect(taken.take('c')).toBe('all_used');
  });

  it('have no share for the service itself: it may take all', () => {
    const shares = new HeldShares(4);
    expect(Array.from({ length: 5 }, () => shares.take(undefined))).toEqual([
      ...Array<string>(4).fill('granted'),
      'all_used',
    ]);
    shares.give(undefined, 4);
    expect(shares.total).toBe(0);
  });
});

describe('slots', () => {
  it('are given to the callers that wait for them in turn, to each in the order of its calls', () => {
    const slots = new FairSlots(1, 16);
    expect(slots.take('first')).toBe(true);
    const begun: string[] = [];
    for (const name of ['flood 1', 'flood 2', 'flood 3', 'other 1', 'other 2', 'third 1'])
      slots.queue(name.split(' ')[0], () => begun.push(name));
    slots.release('first');
    for (let count = 1; count < 6; count++) slots.release(begun.at(-1)?.split(' ')[0]);
    expect(begun).toEqual(['flood 1', 'other 1', 'third 1', 'flood 2', 'other 2', 'flood 3']);
  });
});
